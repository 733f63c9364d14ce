import { readdirSync } from 'node:fs'
import { readKernelFile } from './proc.ts'

export interface BlockDevice {
  readonly name: string
  readonly model: string
  /** Bytes. */
  readonly size: number
  readonly rotational: boolean
  readonly removable: boolean
  readonly readOnly: boolean
}

/** Block devices with a size: unused loop devices and empty drives have none. */
export function readBlockDevices(): BlockDevice[] {
  const read = (name: string, file: string) => readKernelFile(`/sys/block/${name}/${file}`)?.trim() ?? ''
  let names: string[]
  try {
    names = readdirSync('/sys/block')
  } catch {
    return []
  }
  return names
    .map((name) => ({
      name,
      model: [read(name, 'device/vendor'), read(name, 'device/model')]
        .filter((text) => text !== '' && !text.startsWith('0x'))
        .join(' '),
      // The kernel counts sectors of 512 bytes here whatever the device's own are.
      size: Number(read(name, 'size')) * 512,
      rotational: read(name, 'queue/rotational') === '1',
      removable: read(name, 'removable') === '1',
      readOnly: read(name, 'ro') === '1',
    }))
    .filter((device) => device.size > 0)
}
