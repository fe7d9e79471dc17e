// Numbers and times as text.

export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(Math.max(digits - 2, 1)).replace("e+", "e");
  return size >= 10 ** digits ? value.toFixed(0) : value.toPrecision(digits);
}

// Columns of numbers that keep their width while they change.
export function fixed(value: number, decimals = 3): string {
  const text = Math.abs(value) < 0.5 * 10 ** -decimals ? (0).toFixed(decimals) : value.toFixed(decimals);
  return text.startsWith("-") ? `−${text.slice(1)}` : text;
}

export function time(t: number): string {
  return t.toFixed(3);
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}
