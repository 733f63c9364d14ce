/** Decodes a response by its byte order mark, the charset of its type, or what the page declares, else as UTF-8. */
export function decodeBody(bytes: Uint8Array, contentType: string): { text: string; charset: string } {
  const charset =
    byMark(bytes) ?? known(/charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]) ?? byMeta(bytes) ?? 'utf-8'
  return { text: new TextDecoder(charset).decode(bytes), charset }
}

function byMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null
}

function byMeta(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 2048)).toString('latin1')
  const named =
    /<meta\b[^>]{0,200}?charset\s*=\s*["']?([\w-]+)|^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([\w-]+)/i.exec(head)
  const charset = known(named?.[1] ?? named?.[2])
  // A page that can declare this in ASCII is not UTF-16.
  return charset?.startsWith('utf-16') === true ? 'utf-8' : charset
}

function known(label: string | undefined): string | null {
  if (label === undefined) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    return null
  }
}
