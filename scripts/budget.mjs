/**
 * The performance budget of the pages: `web/budget.json` holds how large the first load of /chat and each chunk are
 * (bytes of gzip). Growth beyond it is told by every build, and fails `npm run check` and `npm test`; it is accepted by
 * `npm run build -- --accept-sizes`, which writes the file. A build for an installation never fails for it: another
 * version of zlib or of Node may compress a little differently, which the tolerance allows for.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './run.mjs'

const BUDGET = join(ROOT, 'web/budget.json')
const SIZES = '.sizes.json'
/** A chunk or a load may grow by this share of its size. */
const TOLERANCE = 0.03
/** Chunks below this many bytes are not watched: a single sentence is more than their 3 %. */
const SMALL = 4000
/** No acceptance goes beyond this for the first load of /chat. */
const FIRST_LOAD_MOST = 170_000

const HINT = 'If that is worth it, accept it with: npm run build -- --accept-sizes'

/** Stores the sizes of a build (see page-files.mjs) in its folder. */
export function writeSizes(folder, sizes) {
  writeFileSync(join(folder, SIZES), JSON.stringify(sizes))
}

/**
 * What exceeds the budget, one sentence each. A chunk that is gone is no matter; a new one is, unless it is small.
 * @param budget what `web/budget.json` holds
 * @param sizes of a build, as page-files.mjs measures them
 */
export function overrunsOf(budget, sizes) {
  const loads = [
    ['The first load of /chat', budget.first_load, sizes.first_load],
    ['The first load of /chat with its messages', budget.with_messages, sizes.with_messages],
  ]
  const chunks = Object.entries(sizes.chunks)
    .filter(([name, now]) => now >= SMALL || budget.chunks[name] !== undefined)
    .map(([name, now]) => [`The chunk ${name}`, budget.chunks[name], now])
  const grown = [...loads, ...chunks].flatMap(([what, before, now]) => {
    if (before === undefined) return [`${what} is new: ${now} bytes of gzip.`]
    if (now <= before * (1 + TOLERANCE)) return []
    const percent = ((now / before - 1) * 100).toFixed(1)
    return [`${what} grew by ${percent} %: ${before} bytes of gzip before, ${now} now.`]
  })
  if (sizes.first_load <= FIRST_LOAD_MOST) return grown
  return [...grown, `The first load of /chat is ${sizes.first_load} bytes of gzip; the most is ${FIRST_LOAD_MOST}.`]
}

/** What in this build exceeds the budget, and how that is accepted, as lines to print; empty when nothing does. */
export function overrunsIn(folder) {
  const sizes = JSON.parse(readFileSync(join(folder, SIZES), 'utf8'))
  const overruns = overrunsOf(JSON.parse(readFileSync(BUDGET, 'utf8')), sizes)
  return overruns.length === 0 ? [] : [...overruns, HINT]
}

/** Makes the sizes of this build the budget. */
export function acceptSizes(folder) {
  const { first_load, with_messages, chunks } = JSON.parse(readFileSync(join(folder, SIZES), 'utf8'))
  const watched = Object.entries(chunks)
    .filter(([, size]) => size >= SMALL)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const budget = { first_load, with_messages, chunks: Object.fromEntries(watched) }
  writeFileSync(BUDGET, `${JSON.stringify(budget, null, 2)}\n`)
}
