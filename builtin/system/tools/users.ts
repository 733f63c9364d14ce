import { z } from 'zod'
import { parseAccounts } from '../linux/accounts.ts'
import { readTexts, requireLinux } from '../linux/kernel-texts.ts'
import { machineTool } from '../machine-tool.ts'

const PASSWD = '/etc/passwd'
const GROUP = '/etc/group'

/** Lists the accounts of the machine. */
export const usersTool = machineTool({
  name: 'users',
  title: 'Accounts of the machine',
  description:
    'Accounts of the machine with their groups, home and shell, those of people first. It reads /etc/passwd and /etc/group, so accounts of a directory (LDAP) are missing. ' +
    'Whether one is locked only root can see; "user" changes accounts.',
  effect: 'read',
  main_argument: 'filter',
  input: z.strictObject({
    filter: z.string().max(200).optional().describe('Only accounts whose name or groups contain this'),
    limit: z.int().min(1).max(1000).default(200),
  }),
  async run({ filter, limit }, { machine, signal }) {
    await requireLinux(machine, 'Accounts', signal)
    const { text } = await readTexts(machine, [PASSWD, GROUP], signal)
    const all = parseAccounts(text(PASSWD), text(GROUP))
    const wanted = filter?.toLowerCase() ?? ''
    const found = all.filter(({ name, full_name, groups }) =>
      `${name} ${full_name} ${groups}`.toLowerCase().includes(wanted),
    )
    return {
      text: `${all.length} accounts, ${all.filter(({ person }) => person).length} of people; ${found.length} match.`,
      tables: [
        {
          title: 'Accounts',
          columns: [
            { key: 'name', label: 'Account', type: 'text' },
            { key: 'full_name', label: 'Full name', type: 'text' },
            { key: 'uid', label: 'Number', type: 'integer' },
            { key: 'person', label: 'Person', type: 'boolean' },
            { key: 'sign_in', label: 'May sign in', type: 'boolean' },
            { key: 'groups', label: 'Groups', type: 'text' },
            { key: 'home', label: 'Home', type: 'text' },
            { key: 'shell', label: 'Shell', type: 'text' },
          ],
          rows: found.slice(0, limit).map((row) => ({ ...row })),
          total_rows: found.length,
        },
      ],
    }
  },
})
