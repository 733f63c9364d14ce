import type { ModuleExit, ModuleLink } from './module-link.ts'

/** How the other end went away, if it does so within `milliseconds`; else null. */
export async function exitWithin(link: ModuleLink, milliseconds: number): Promise<ModuleExit | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, milliseconds, null)))
  const exit = await Promise.race([link.gone, late])
  clearTimeout(timer)
  return exit
}
