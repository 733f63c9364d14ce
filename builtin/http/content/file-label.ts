const ENDINGS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'application/json': 'json',
  'application/xml': 'xml',
  'text/xml': 'xml',
}

/** A name for the content of an address: as the response says, or else the end of its path. A label, never a path. */
export function fileLabel(url: URL, disposition: string | null, mediaType: string): string {
  const name =
    clean(fromDisposition(disposition)) || clean(decoded(url.pathname.split('/').at(-1) ?? '')) || url.hostname
  const ending = Object.hasOwn(ENDINGS, mediaType) ? ENDINGS[mediaType]! : ''
  return /\.[a-z0-9]{1,16}$/i.test(name) && name !== url.hostname ? name : ending === '' ? name : `${name}.${ending}`
}

function fromDisposition(disposition: string | null): string {
  const extended = /filename\*\s*=\s*utf-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  if (extended !== undefined) return decoded(extended.trim())
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;]+))/i.exec(disposition ?? '')
  return (plain?.[1] ?? plain?.[2] ?? '').trim()
}

function clean(name: string): string {
  const last = name.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = last.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()
  return /^\.{0,2}$/.test(plain) ? '' : plain.slice(0, 150).toWellFormed()
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
