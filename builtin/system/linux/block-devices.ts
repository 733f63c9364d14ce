import type { Each, EachWanted } from '../../../server/modules/machines.ts'
import { countOf } from './kernel-texts.ts'

export const BLOCK_DEVICES = '/sys/block'
export const BLOCK_FILES: EachWanted = {
  files: ['device/vendor', 'device/model', 'size', 'queue/rotational', 'removable', 'ro'],
  max: 200,
}

interface BlockDevice {
  readonly name: string
  readonly model: string
  /** Bytes. */
  readonly size: number
  readonly rotational: boolean
  readonly removable: boolean
  readonly readOnly: boolean
}

/** Block devices with a size: unused loop devices and empty drives have none. */
export function parseBlockDevices(directories: readonly Each[]): BlockDevice[] {
  return directories
    .map(({ name, files }) => {
      const read = (file: string) => files[file]?.trim() ?? ''
      return {
        name,
        model: [read('device/vendor'), read('device/model')]
          .filter((text) => text !== '' && !text.startsWith('0x'))
          .join(' '),
        // The kernel counts sectors of 512 bytes here whatever the device's own are.
        size: countOf(read('size')) * 512,
        rotational: read('queue/rotational') === '1',
        removable: read('removable') === '1',
        readOnly: read('ro') === '1',
      }
    })
    .filter((device) => device.size > 0)
}
