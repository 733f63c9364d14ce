import type { ModuleExit, ModuleLink } from '../spec/module-link.ts'

/** How long a process that broke its connection may take to exit by itself, and its last output to arrive. */
export const LAST_WORDS_MS = 2000

/** How the other end exited, if it does so within `milliseconds`; otherwise null. */
export async function exitWithin(link: ModuleLink, milliseconds: number): Promise<ModuleExit | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, milliseconds, null)))
  const exit = await Promise.race([link.gone, late])
  clearTimeout(timer)
  return exit
}
