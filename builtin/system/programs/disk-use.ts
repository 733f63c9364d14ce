/**
 * Lines of `du -k`, `size<TAB>path`, largest first; bytes. The last line of `du` is the folder itself, which is `total`.
 */
export function parseDu(text: string): { total: number | null; entries: { path: string; size: number }[] } {
  const entries = text.split('\n').flatMap((line) => {
    const tab = line.indexOf('\t')
    const size = line.slice(0, Math.max(tab, 0))
    return /^\d{1,15}$/.test(size) ? [{ path: line.slice(tab + 1), size: Number(size) * 1024 }] : []
  })
  const total = entries.pop()?.size ?? null
  return { total, entries: entries.sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1)) }
}
