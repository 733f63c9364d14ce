const UNITS: Readonly<Record<string, number>> = { b: 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, tib: 1024 ** 4 }

/** Parses a size such as `512MiB` or `5 GiB` into bytes; null if it isn't one. */
export function parseByteSize(text: string): number | null {
  const [, digits, unit] = /^(\d{1,12}(?:\.\d{1,3})?)\s?(B|[KMGT]iB)$/i.exec(text.trim()) ?? []
  const size = Math.floor(Number(digits) * (UNITS[unit?.toLowerCase() ?? ''] ?? NaN))
  return Number.isSafeInteger(size) ? size : null
}

/** A number of bytes in readable form: `256 MiB`, `1.5 GiB`. */
export function byteSizeText(bytes: number): string {
  const unit = ['TiB', 'GiB', 'MiB', 'KiB'].find((name) => bytes >= UNITS[name.toLowerCase()]!)
  if (unit === undefined) return `${bytes} bytes`
  const size = bytes / UNITS[unit.toLowerCase()]!
  return `${Number.isInteger(size) ? size : Math.floor(size * 10) / 10} ${unit}`
}
