/** Whether a JSON value is nested deeper than `most` levels. Walks it without recursion: it may be as deep as its sender likes. */
export function isNestedDeeper(value: unknown, most: number): boolean {
  const queue: [unknown, number][] = [[value, 0]]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [item, depth] = next
    if (item === null || typeof item !== 'object') continue
    if (depth >= most) return true
    for (const member of Object.values(item)) queue.push([member, depth + 1])
  }
  return false
}
