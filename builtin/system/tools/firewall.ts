import { z } from 'zod'
import { requireLinux } from '../linux/kernel-texts.ts'
import { machineTool } from '../machine-tool.ts'
import { askProgram } from '../programs/ask-program.ts'
import { parseRuleset } from '../programs/nft-ruleset.ts'

/** Shows the rules of nftables. */
export const firewallTool = machineTool({
  name: 'firewall',
  title: 'Firewall',
  description:
    'The rules of nftables as the kernel has them (also those that iptables-nft, ufw or firewalld have made): tables, chains with their policies, rules. Most systems let ' +
    'only root read them; then it says so, which does not mean that there is no firewall. It changes nothing.',
  effect: 'read',
  main_argument: 'filter',
  input: z.strictObject({
    filter: z.string().max(200).optional().describe('Only rules in which this stands'),
    limit: z.int().min(1).max(1000).default(300),
  }),
  async run({ filter, limit }, { machine, signal }) {
    await requireLinux(machine, 'Firewall rules', signal)
    const { code, stdout, stderr } = await askProgram(machine, ['nft', '-j', 'list', 'ruleset'], 10_000, signal)
    if (code !== 0) {
      const { uid } = (await machine.facts(signal)).account
      const why =
        uid === 0
          ? ''
          : ' Most systems let only root read them, so nothing is known about them, not even whether there are any.'
      return {
        text: `The rules cannot be read: ${stderr.trim().slice(-500) || `exit code ${code}`}.${why}`,
        failed: true,
      }
    }
    const all = parseRuleset(stdout)
    if (all === null) return { text: 'What nft says cannot be understood.', failed: true }
    const wanted = filter?.toLowerCase() ?? ''
    const found = all.filter((row) => Object.values(row).join(' ').toLowerCase().includes(wanted))
    return {
      text:
        all.length === 0
          ? 'There are no rules: nothing is filtered by nftables.'
          : `${all.length} rules and policies, ${found.length} match.`,
      tables: [
        {
          title: 'Firewall rules',
          columns: [
            { key: 'table', label: 'Table', type: 'text' },
            { key: 'chain', label: 'Chain', type: 'text' },
            { key: 'rule', label: 'Rule', type: 'text' },
            { key: 'comment', label: 'Comment', type: 'text' },
            { key: 'handle', label: 'Number', type: 'integer' },
          ],
          rows: found.slice(0, limit).map((row) => ({ ...row })),
          total_rows: found.length,
        },
      ],
    }
  },
})
