import { openSetupLink } from '../accounts/sign-in/setup-link.ts'
import { type Command, CommandProblem } from './command.ts'
import { commandLineAccounts } from './command-line-accounts.ts'
import { openCurrentPlace } from './open-place.ts'
import { placeUrl } from './place-url.ts'

/** `reeve setup-link`: a one-time link again, for operators who lost the line in the log. */
export const setupLinkCommand: Command = {
  summary: 'print a one-time link that creates the first administrator',
  usage: 'setup-link',
  about: 'Can be run while the service is running. There is no link once an administrator exists.',
  options: {},
  async run(terminal) {
    await using place = await openCurrentPlace(terminal)
    const token = await openSetupLink((await commandLineAccounts(place)).context)
    if (token === null)
      throw new CommandProblem(
        'An administrator already exists. If a password was lost, use reeve user reset-password.',
      )
    const link = new URL(`/setup?token=${token}`, placeUrl(place.config)).href
    return { code: 0, value: { link }, text: link }
  },
}
