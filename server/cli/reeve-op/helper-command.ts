import type { Command, Outcome } from '../command.ts'
import { CommandProblem, UsageProblem } from '../command.ts'

/** `reeve helper install`: the program that does as root, on this machine, what its list allows. */
export const helperCommand: Command = {
  summary: 'install, check or remove reeve-op, which does as root what its list allows',
  usage: 'helper install [--check | --remove] [--group <group of the service>]',
  about: `Run it with sudo. Installs reeve-op and its socket, which only the service's group can reach; the service stays an
ordinary account. The list /etc/reeve-op.conf says what may be done, and allows nothing until you write a line into it.
Can be repeated, and has to be after an upgrade; the list is left as it is. --check changes nothing, and says what is
missing or different (exit code 1). --remove says what it keeps. docs/hosts.md says what an allowed line amounts to.`,
  actions: ['install'],
  options: {
    check: { type: 'boolean', default: false },
    remove: { type: 'boolean', default: false },
    group: { type: 'string' },
  },
  async run(_terminal, { values, positionals }) {
    if (positionals.length !== 1 || positionals[0] !== 'install') throw new UsageProblem('Say what to do: install.')
    if (values['check'] === true && values['remove'] === true) throw new UsageProblem('Either --check or --remove.')
    const group = typeof values['group'] === 'string' ? values['group'] : null
    if (group !== null && !/^[a-z_][a-z0-9_-]{0,31}$/.test(group))
      throw new UsageProblem('That is not the name of a group.')
    const { installHelper, helperDifferences, removeHelper } = await import('./install.ts')
    if (values['check'] === true) return checked(await helperDifferences(group))
    if (process.getuid?.() !== 0) throw new CommandProblem('Only root can do that: sudo reeve helper install.')
    return done(values['remove'] === true ? await removeHelper() : await installHelper(group))
  },
}

function checked(missing: readonly string[]): Outcome {
  return missing.length === 0
    ? { code: 0, value: { ok: true, missing }, text: 'reeve-op is installed as this version ships it.' }
    : { code: 1, value: { ok: false, missing }, text: missing.join('\n') }
}

function done(lines: readonly string[]): Outcome {
  return { code: 0, value: { ok: true, done: lines }, text: lines.join('\n') }
}
