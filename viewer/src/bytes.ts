// Reading the binary payload: a cursor over little-endian bytes, and the codes of its columns.

export class Reader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  private take(length: number): number {
    if (length < 0 || length > this.left) throw new Error("the data of this page are cut off");
    const start = this.at;
    this.at += length;
    return start;
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  text(length: number): string {
    return new TextDecoder().decode(this.u8s(length));
  }

  u8s(count: number): Uint8Array {
    const start = this.take(count);
    return this.bytes.subarray(start, start + count);
  }

  // Copies, because typed arrays must be aligned.
  private copy(count: number, size: number): ArrayBuffer {
    return this.u8s(count * size).slice().buffer as ArrayBuffer;
  }

  f64s(count: number): Float64Array {
    return new Float64Array(this.copy(count, 8));
  }

  f32s(count: number): Float32Array {
    return new Float32Array(this.copy(count, 4));
  }

  u32s(count: number): Uint32Array {
    return new Uint32Array(this.copy(count, 4));
  }

  i32s(count: number): Int32Array {
    return new Int32Array(this.copy(count, 4));
  }

  // Columns of 16 or 32 bits are stored as planes: all low bytes first, all high bytes last.
  plane16(count: number): Uint16Array {
    const low = this.u8s(count);
    const high = this.u8s(count);
    const values = new Uint16Array(count);
    for (let k = 0; k < count; k++) values[k] = low[k] | (high[k] << 8);
    return values;
  }

  plane32(count: number): Uint32Array {
    const planes = [this.u8s(count), this.u8s(count), this.u8s(count), this.u8s(count)];
    const values = new Uint32Array(count);
    for (let k = 0; k < count; k++)
      values[k] = planes[0][k] | (planes[1][k] << 8) | (planes[2][k] << 16) | (planes[3][k] << 24);
    return values;
  }
}

// 0 is zero; else 2^(code/512 - 64): three digits over the whole range of physics.
export function fromLog16(code: number): number {
  return code === 0 ? 0 : 2 ** (code / 512 - 64);
}

// The highest bit is the sign, the rest 2^(code/256 - 64).
export function fromSignedLog16(code: number): number {
  const size = code & 0x7fff;
  const value = size === 0 ? 0 : 2 ** (size / 256 - 64);
  return code & 0x8000 ? -value : value;
}

// A unit vector from the octahedron's square [Cigolle et al. 2014].
export function fromOctahedron(u: number, v: number, out: Float32Array, at: number): void {
  let x = (u / 65535) * 2 - 1;
  let y = (v / 65535) * 2 - 1;
  const z = 1 - Math.abs(x) - Math.abs(y);
  if (z < 0) {
    const old = x;
    x = (1 - Math.abs(y)) * (x >= 0 ? 1 : -1);
    y = (1 - Math.abs(old)) * (y >= 0 ? 1 : -1);
  }
  const length = Math.hypot(x, y, z);
  out[at] = x / length;
  out[at + 1] = y / length;
  out[at + 2] = z / length;
}

// Two directions perpendicular to a unit vector [Duff et al. 2017].
export function tangents(x: number, y: number, z: number): number[] {
  const sign = z >= 0 ? 1 : -1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  return [1 + sign * x * x * a, sign * b, -sign * x, b, sign + y * y * a, -y];
}

export async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function fromBase64(text: string): Uint8Array {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) bytes[k] = binary.charCodeAt(k);
  return bytes;
}
