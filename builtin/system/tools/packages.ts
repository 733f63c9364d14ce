import { z } from 'zod'
import { machineTool } from '../machine-tool.ts'
import { installedPackages, managerOf, upgradablePackages } from '../packages/ask-packages.ts'

/** Lists packages, and those of which there are newer versions. */
export const packagesTool = machineTool({
  name: 'packages',
  title: 'Packages',
  description:
    'Installed packages of the system with version and size, or with show=upgradable those of which a newer version is known, with both versions and where it comes ' +
    'from. It asks apt, dnf or apk for what they know already; "package" with action=refresh brings that up to date.',
  effect: 'read',
  main_argument: 'filter',
  deadline_ms: 150_000,
  input: z.strictObject({
    show: z.enum(['installed', 'upgradable']).default('installed'),
    filter: z.string().max(200).optional().describe('Only packages whose name contains this'),
    limit: z.int().min(1).max(1000).default(200),
  }),
  async run({ show, filter, limit }, { machine, signal }) {
    const manager = await managerOf(machine, signal)
    const installed = await installedPackages(machine, manager, signal)
    const wanted = filter?.toLowerCase() ?? ''
    const matches = ({ name }: { name: string }) => name.toLowerCase().includes(wanted)
    if (show === 'installed') {
      const found = installed.filter(matches)
      return {
        text: `${installed.length} packages are installed, ${found.length} match.`,
        tables: [
          {
            title: 'Installed packages',
            columns: [
              { key: 'name', label: 'Package', type: 'text' },
              { key: 'version', label: 'Version', type: 'text' },
              { key: 'architecture', label: 'Architecture', type: 'text' },
              { key: 'size', label: 'Size', type: 'bytes' },
              { key: 'held', label: 'Held', type: 'boolean' },
            ],
            rows: found.slice(0, limit).map((row) => ({ ...row })),
            total_rows: found.length,
          },
        ],
      }
    }
    const upgrades = await upgradablePackages(machine, manager, installed, signal)
    const found = upgrades.filter(matches)
    return {
      text: `There are newer versions of ${upgrades.length} packages, ${found.length} of them match.`,
      tables: [
        {
          title: 'Upgradable packages',
          columns: [
            { key: 'name', label: 'Package', type: 'text' },
            { key: 'now', label: 'Now', type: 'text' },
            { key: 'later', label: 'Then', type: 'text' },
            { key: 'origin', label: 'Origin', type: 'text' },
          ],
          rows: found.slice(0, limit).map(({ name, now, later, origin }) => ({ name, now, later, origin })),
          total_rows: found.length,
        },
      ],
    }
  },
})
