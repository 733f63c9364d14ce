import { z } from 'zod'
import { machineTool } from '../machine-tool.ts'
import { parseDu } from '../programs/disk-use.ts'

const DEADLINE_MS = 120_000
const OUTPUT_LIMIT = 4 * 1024 * 1024

/** Says which folders below a path use how much. */
export const diskUsageTool = machineTool({
  name: 'disk_usage',
  title: 'Disk use of folders',
  description:
    'How much each folder directly below "path" uses with all that is in it, largest first, on the same file system only. Ask again with the path of the largest to go ' +
    'deeper. For how full the file systems are, use "disks". Folders that may not be read are left out, and it says so.',
  effect: 'read',
  main_argument: 'path',
  deadline_ms: DEADLINE_MS + 20_000,
  input: z.strictObject({
    path: z
      .string()
      .max(4000)
      .regex(/^\/[^\0\n]*$/)
      .default('/')
      .describe('Absolute path of a folder'),
    limit: z.int().min(1).max(1000).default(50),
  }),
  async run({ path, limit }, { machine, signal }) {
    const command = {
      argv: ['du', '-xk', '-d1', '--', path] as const,
      deadline_ms: DEADLINE_MS,
      max_bytes: OUTPUT_LIMIT,
    }
    const end = await machine.run(command, signal)
    if (end.kind === 'lost') throw new Error(end.message)
    if (end.kind === 'refused') throw new Error(`du: ${end.detail}`)
    if (end.stopped === 'cancelled') throw new Error('Cancelled.')
    if (end.stopped === 'deadline')
      throw new Error(`It took more than ${DEADLINE_MS / 1000} s. Ask for a folder further down.`)
    const { total, entries } = parseDu(end.stdout)
    if (total === null) throw new Error(`${path} cannot be looked into: ${end.stderr.trim().slice(-500)}`)
    // Its exit code is not 0 as soon as one folder could not be read.
    const partly = end.exit_code === 0 ? '' : ' Some of it may not be read by this account, and is not counted.'
    return {
      text: `${path} uses ${Math.round(total / 1024 / 1024)} MiB, ${entries.length} folders in it.${partly}`,
      tables: [
        {
          title: 'Disk use',
          columns: [
            { key: 'path', label: 'Folder', type: 'text' },
            { key: 'size', label: 'Size', type: 'bytes' },
            { key: 'share', label: 'Share', type: 'percent' },
          ],
          rows: entries
            .slice(0, limit)
            .map((entry) => ({ ...entry, share: total === 0 ? 0 : Math.round((entry.size / total) * 1000) / 10 })),
          total_rows: entries.length,
        },
      ],
    }
  },
})
