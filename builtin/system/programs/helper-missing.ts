import type { Machine } from '../../../server/modules/machines.ts'

/** What to do where reeve-op is not there, or may not be asked; `said`: the machine's own words. */
export function helperMissing({ id }: Pick<Machine, 'id'>, said: string): string {
  const how =
    id === 'local'
      ? '"sudo reeve helper install" sets it up on this machine'
      : 'the setup script of the page "Machines" sets it up there'
  const words = said.trim().slice(0, 300)
  return `helper_missing: what needs root is done by the helper reeve-op, which is not there or may not be asked, so nothing was run; ${how}.${words === '' ? '' : ` The machine says: ${words}`}`
}
