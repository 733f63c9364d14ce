import type { Sentence } from '../../kernel/sentence.ts'

/** Most starts are over before anybody could read what they are at. */
const SLOW_MS = 3000

/** Runs `work`, which tells what it is at, and shows what has lasted for a while. */
export async function withSlowPhases<T>(
  show: (phase: Sentence) => void,
  work: (tell: (phase: Sentence) => void) => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  try {
    return await work((phase) => {
      clearTimeout(timer)
      timer = setTimeout(show, SLOW_MS, phase).unref()
    })
  } finally {
    clearTimeout(timer)
  }
}
