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

const NUMBERED = String.raw`[-_.]?(\d+)?`
/** Epoch, release, stage, its number, post release (which may be a number alone), development release, what is local. */
const PYTHON = new RegExp(
  String.raw`^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)${NUMBERED})?` +
    String.raw`(?:-(\d+)|[-_.]?(post|rev|r)${NUMBERED})?(?:[-_.]?(dev)${NUMBERED})?(?:\+([a-z\d]+(?:[-_.][a-z\d]+)*))?$`,
)

/** The same for versions of Python packages (PEP 440): `1.0.dev1` < `1.0a1` < `1.0rc1` < `1.0` < `1.0.post1` < `1!0.1`. */
export function comparePythonVersions(a: string, b: string): number {
  const [left, right] = [pythonParts(a), pythonParts(b)]
  if (left === null || right === null) return compareVersions(a, b)
  return compareParts(left.release, right.release, '0') || compareParts(left.rest, right.rest, undefined)
}

function pythonParts(version: string): { readonly release: string[]; readonly rest: string[] } | null {
  const found = PYTHON.exec(version.trim().toLowerCase())
  if (found === null) return null
  const [, epoch = '0', release, stage, stageNumber = '0', bare, post, postNumber = '0', dev, devNumber = '0', local] =
    found
  const late = bare ?? (post === undefined ? undefined : postNumber)
  // A development release of a final one comes before all of its stages; c and pre are other words for rc.
  const rank = stage === undefined ? (late === undefined && dev !== undefined ? '0' : '4') : stageRank(stage)
  const parts = local?.split(/[-_.]/) ?? []
  return {
    release: [epoch, ...release!.split('.')],
    rest: [
      rank,
      stageNumber,
      late === undefined ? '0' : '1',
      late ?? '0',
      dev === undefined ? '1' : '0',
      devNumber,
      // Of what is local, texts come before numbers.
      ...parts.flatMap((part) => [/^\d+$/.test(part) ? '1' : '0', part]),
    ],
  }
}

function stageRank(stage: string): string {
  return stage.startsWith('a') ? '1' : stage.startsWith('b') ? '2' : '3'
}
