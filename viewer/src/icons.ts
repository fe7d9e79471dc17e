// Icons of 24 by 24, drawn with strokes.
const PATHS: Record<string, string> = {
  play: '<path d="M7 4.8v14.4L19.2 12z" fill="currentColor"/>',
  pause: '<path d="M7.5 5v14M16.5 5v14" stroke-width="3.4"/>',
  back: '<path d="M17.5 6v12L9 12z" fill="currentColor"/><path d="M6 6v12"/>',
  forth: '<path d="M6.5 6v12L15 12z" fill="currentColor"/><path d="M18 6v12"/>',
  start: '<path d="M12 7l-6 5 6 5M19 7l-6 5 6 5"/>',
  loop: '<path d="M5 11V9.5A3.5 3.5 0 0 1 8.500 6H18m0 0-3-3m3 3-3 3M19 13v1.500A3.500 3.500 0 0 1 15.500 18H6m0 0 3 3m-3-3 3-3"/>',
  points: '<circle cx="12" cy="9" r="3.200"/><path d="M4 17h16" /><circle cx="12" cy="9" r="1" fill="currentColor"/>',
  arrows: '<path d="M6 19 17 6m0 0h-6m6 0v6"/>',
  cones: '<path d="M12 20 5 7m7 13 7-13"/><ellipse cx="12" cy="7" rx="7" ry="2.600"/>',
  joints: '<circle cx="6" cy="17" r="2.600"/><circle cx="18" cy="7" r="2.600"/><path d="M8 15.400 16 8.700"/>',
  reactions: '<circle cx="7" cy="17" r="2.600"/><path d="M9 15 18 6m0 0h-5.500M18 6v5.500"/>',
  actuators: '<path d="M18.500 9A7.500 7.500 0 1 0 19.500 13m0-7.500V9.500h-4"/><circle cx="12" cy="12" r="1.400" fill="currentColor"/>',
  sites: '<path d="M9 15V4m0 0L6.500 6.500M9 4l2.500 2.500M9 15h11m0 0-2.500-2.500M20 15l-2.500 2.500M9 15l-5 5"/>',
  names: '<path d="M4 6.500h9l6.500 5.500-6.500 5.500H4z"/><path d="M7.500 12h4.500"/>',
  more: '<path d="M6 12v.1M12 12v.1M18 12v.1" stroke-width="3.200"/>',
  ghost: '<path d="M6 20V11a6 6 0 0 1 12 0v9l-2-1.600-2 1.600-2-1.600-2 1.600-2-1.600z"/><path d="M10 11v.2M14 11v.2" stroke-width="2.400"/>',
  colour: '<path d="M12 4c4 4.700 6 7.500 6 10a6 6 0 0 1-12 0c0-2.500 2-5.300 6-10z"/>',
  follow: '<circle cx="12" cy="12" r="6.500"/><path d="M12 2.500v5M12 16.500v5M2.500 12h5M16.500 12h5"/>',
  home: '<path d="M4 11.500 12 5l8 6.500M6.500 10v9h11v-9"/>',
  camera: '<path d="M4 8h3.500l1.500-2.500h6L16.500 8H20v11H4z"/><circle cx="12" cy="13" r="3.400"/>',
  theme: '<circle cx="12" cy="12" r="7.500"/><path d="M12 4.500a7.500 7.500 0 0 1 0 15z" fill="currentColor"/>',
  panel: '<rect x="4" y="5" width="16" height="14" rx="2"/><path d="M14.500 5v14"/>',
  help: '<path d="M9 9.200a3 3 0 1 1 4.600 2.500c-1 .7-1.600 1.200-1.600 2.300M12 17.600v.2" stroke-width="2"/>',
};

export function icon(name: string): string {
  return `<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.7"
    stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${PATHS[name] ?? ""}</svg>`;
}
