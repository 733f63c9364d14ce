import { openSetupLink } from '../accounts/setup.ts'
import { type Command, CommandProblem } from './command.ts'
import { commandLineAccounts } from './command-line-accounts.ts'
import { openCurrentPlace } from './open-place.ts'
import { placeUrl } from './place-url.ts'

/** `reeve setup-link`: the one-time link again, for who lost the line of the log. */
export const setupLinkCommand: Command = {
  summary: 'print a one-time link that creates the first administrator',
  usage: 'setup-link',
  about: 'May be run while the service runs. There is no link once an administrator exists.',
  options: {},
  async run(terminal) {
    await using place = await openCurrentPlace(terminal)
    const token = await openSetupLink(commandLineAccounts(place).context)
    if (token === null)
      throw new CommandProblem(
        'An administrator exists. reeve user reset-password lets somebody in who lost a password.',
      )
    const link = new URL(`/setup?token=${token}`, placeUrl(place.config)).href
    return { code: 0, value: { link }, text: link }
  },
}
