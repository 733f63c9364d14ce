import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const SHIPPED = join(import.meta.dirname, '../../../packaging/reeve-op')

/** Where reeve-op is on a machine. Everything belongs to root. */
export const HELPER = {
  program: '/usr/local/libexec/reeve-op',
  list: '/etc/reeve-op.conf',
  state: '/var/lib/reeve-op',
  jobs: '/var/lib/reeve-op/jobs',
  backup: '/var/lib/reeve-op/backup',
  socketUnit: '/etc/systemd/system/reeve-op.socket',
  serviceUnit: '/etc/systemd/system/reeve-op@.service',
} as const

/** The texts of reeve-op as they come with this version. */
export interface HelperFiles {
  readonly program: string
  readonly list: string
  readonly socketUnit: string
  readonly serviceUnit: string
}

export async function readHelperFiles(): Promise<HelperFiles> {
  const [program, list, socketUnit, serviceUnit] = await Promise.all(
    ['reeve-op', 'reeve-op.conf', 'reeve-op.socket', 'reeve-op@.service'].map((name) =>
      readFile(join(SHIPPED, name), 'utf8'),
    ),
  )
  return { program: program!, list: list!, socketUnit: socketUnit!, serviceUnit: serviceUnit! }
}

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex')
}
