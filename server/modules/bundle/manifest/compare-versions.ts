const VERSION = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]*)?$/

/**
 * Less than 0 when `a` is older than `b`, more than 0 when newer, 0 when equal in rank. Semantic versions by their
 * rules (a pre-release is older, build metadata does not count), with any number of parts; other texts part by part,
 * digits as numbers, so `r9` < `r10`.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)]
  if (left === null || right === null) return compareParts(naturalParts(a), naturalParts(b), undefined)
  const release = compareParts(left[1]!.split('.'), right[1]!.split('.'), '0')
  if (release !== 0) return release
  if (left[2] === undefined || right[2] === undefined) return left[2] === right[2] ? 0 : left[2] === undefined ? 1 : -1
  return compareParts(left[2].split('.'), right[2].split('.'), undefined)
}

/** `filler` replaces a part that one of them lacks; without it, the shorter one is older. */
function compareParts(a: readonly string[], b: readonly string[], filler: string | undefined): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left, right] = [a[at] ?? filler, b[at] ?? filler]
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1
    const order = comparePart(left, right)
    if (order !== 0) return order
  }
  return 0
}

function comparePart(left: string, right: string): number {
  const [numeric, other] = [/^\d+$/.test(left), /^\d+$/.test(right)]
  if (numeric !== other) return numeric ? -1 : 1
  if (!numeric) return left < right ? -1 : left > right ? 1 : 0
  const difference = BigInt(left) - BigInt(right)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function naturalParts(text: string): string[] {
  return text.toLowerCase().match(/\d+|[^\d.\s_-]+/g) ?? []
}
