/** What a picture is by its own bytes, whatever was said about it; null for what is none of these, SVG included. */
export function pictureOf(
  bytes: Buffer,
): { readonly media_type: string; readonly width: number; readonly height: number } | null {
  const starts = (hex: string, at = 0) => bytes.subarray(at, at + hex.length / 2).equals(Buffer.from(hex, 'hex'))
  const found = (media_type: string, width: number, height: number) =>
    width > 0 && height > 0 ? { media_type, width, height } : null
  try {
    if (starts('89504e470d0a1a0a0000000d49484452'))
      return found('image/png', bytes.readUInt32BE(16), bytes.readUInt32BE(20))
    if (starts('474946383761') || starts('474946383961'))
      return found('image/gif', bytes.readUInt16LE(6), bytes.readUInt16LE(8))
    if (starts('52494646') && starts('57454250', 8)) {
      const size = webpSize(bytes)
      return size === null ? null : found('image/webp', ...size)
    }
    const size = starts('ffd8ff') ? jpegSize(bytes) : null
    return size === null ? null : found('image/jpeg', ...size)
  } catch {
    // It ends before it says.
    return null
  }
}

function webpSize(bytes: Buffer): [number, number] | null {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1]
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
    }
    case 'VP8 ':
      return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff]
    default:
      return null
  }
}

/** In the header of its frame, behind segments that say how long they are. */
function jpegSize(bytes: Buffer): [number, number] | null {
  for (let at = 2; bytes.readUInt8(at) === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1)
    // C4, C8 and CC are in the range of frames, and none.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
    if (marker === 0xda) return null
  }
  return null
}
