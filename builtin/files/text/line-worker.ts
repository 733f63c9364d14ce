import { parentPort, workerData } from 'node:worker_threads'
import type { LineMatch, MatcherBatch, MatcherOptions } from './line-matcher.ts'

/** The thread of LineMatcher. */
const { pattern, regex, ignore_case } = workerData as MatcherOptions
const source = regex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
const expression = new RegExp(source, ignore_case ? 'iu' : 'u')

parentPort!.on('message', ({ lines, limit }: MatcherBatch) => {
  const matches: LineMatch[] = []
  for (const [line, text] of lines.entries()) {
    if (matches.length >= limit) break
    const match = expression.exec(text)
    if (match !== null) matches.push({ line, at: match.index, length: match[0].length })
  }
  parentPort!.postMessage(matches)
})
