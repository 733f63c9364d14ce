import type { ModuleExit, ModuleLink } from '../spec/module-link.ts'

/** How the other end exited, if it does so within `milliseconds`; otherwise null. */
export async function exitWithin(link: ModuleLink, milliseconds: number): Promise<ModuleExit | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, milliseconds, null)))
  const exit = await Promise.race([link.gone, late])
  clearTimeout(timer)
  return exit
}
