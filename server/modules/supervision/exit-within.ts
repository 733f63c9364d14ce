import type { ModuleExit, ModuleLink } from '../spec/module-link.ts'

/** How long a process that broke its connection may take to exit by itself, and its last output to arrive. */
const LAST_WORDS_MS = 2000

/** How the other end, which just broke its connection, exited; null when it has not done so soon. */
export async function exitWithin(link: ModuleLink): Promise<ModuleExit | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, LAST_WORDS_MS, null)))
  const exit = await Promise.race([link.gone, late])
  clearTimeout(timer)
  return exit
}
