import { Username } from '../../contract/credentials.ts'
import { deleteUser } from '../accounts/users/delete-user.ts'
import { invite } from '../accounts/users/invitations.ts'
import { listUsers } from '../accounts/users/list-users.ts'
import { listRoles } from '../accounts/policy/roles.ts'
import { removeSecondFactor } from '../accounts/totp/remove-second-factor.ts'
import { updateUser } from '../accounts/users/update-user.ts'
import { createUser } from '../accounts/users/users.ts'
import { fold } from '../kernel/text/plain-text.ts'
import { type Arguments, type Command, CommandProblem, type Outcome, UsageProblem } from './command.ts'
import { commandLineAccounts } from './command-line-accounts.ts'
import { openCurrentPlace } from './open-place.ts'
import { placeUrl } from './place-url.ts'
import type { Terminal } from './terminal.ts'

type Accounts = Awaited<ReturnType<typeof commandLineAccounts>>

/**
 * `reeve user …`: for administrators who are locked out. The same rules apply as in the pages: the last administrator
 * remains.
 */
export const userCommand: Command = {
  summary: 'list, create, disable and delete users, and restore their access',
  usage: `user list
       reeve user create <name> [--role <role>] [--display-name <text>] [--password-stdin]
       reeve user reset-password <name> [--password-stdin]
       reeve user role <name> <role>
       reeve user disable|enable <name>
       reeve user delete <name> --yes
       reeve user remove-second-factor <name>`,
  about: `Can be run while the service is running. Without --password-stdin, create and reset-password print a link for the user to
choose a password: it works once, for seven days. Passwords are never passed as arguments, where every account on the
machine could see them. delete permanently removes the user's conversations, files and quick commands; the audit log
keeps what they did. disable can be undone.`,
  actions: ['list', 'create', 'reset-password', 'role', 'disable', 'enable', 'delete', 'remove-second-factor'],
  options: {
    role: { type: 'string' },
    'display-name': { type: 'string' },
    'password-stdin': { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
  },
  async run(terminal, given) {
    const [action, name, role] = given.positionals
    await using place = await openCurrentPlace(terminal)
    const accounts = await commandLineAccounts(place)
    const link = (path: string) => new URL(path, placeUrl(place.config)).href
    switch (action) {
      case 'list':
        return await list(accounts)
      case 'create':
        return await create(accounts, terminal, given, named(name), link)
      case 'reset-password':
        return await resetPassword(accounts, terminal, given, named(name), link)
      case 'role':
        if (role === undefined) throw new UsageProblem('Name the user and the role.')
        return await change(
          accounts,
          named(name),
          { role_id: await roleId(accounts, role) },
          `has the role ${role} now`,
        )
      case 'disable':
        return await change(accounts, named(name), { disabled: true }, 'is disabled, and signed out everywhere')
      case 'enable':
        return await change(accounts, named(name), { disabled: false }, 'may sign in again')
      case 'delete':
        return await remove(accounts, given, named(name))
      case 'remove-second-factor': {
        const user = await find(accounts, named(name))
        const removed = await removeSecondFactor(accounts.context, accounts.audit, accounts.caller, user.user_id)
        return done(
          { ok: true, username: user.username, ...removed },
          `${user.username} signs in without a second factor now.`,
        )
      }
      default:
        throw new UsageProblem(action === undefined ? 'Say what to do.' : `There is no action ${action}.`)
    }
  },
}

async function list({ context }: Accounts): Promise<Outcome> {
  const all = []
  for (let cursor: string | undefined; ;) {
    const { items, next_cursor } = await listUsers(context, { limit: 200, cursor })
    all.push(...items)
    if (next_cursor === null) break
    cursor = next_cursor
  }
  const lines = all.map(({ username, role, disabled }) => `${username}\t${role}${disabled ? '\tdisabled' : ''}`)
  return done({ users: all }, lines.join('\n') || 'There are no users. reeve setup-link prints the link for the first.')
}

async function create(
  accounts: Accounts,
  terminal: Terminal,
  { values }: Arguments,
  name: string,
  link: (path: string) => string,
): Promise<Outcome> {
  const { context, audit, caller } = accounts
  const username = Username.safeParse(name)
  if (!username.success) throw new CommandProblem('A username has 1 to 64 letters, digits or . _ @ -')
  const role_id = await roleId(accounts, String(values['role'] ?? 'user'))
  const display_name = values['display-name'] as string | undefined
  const password = values['password-stdin'] ? await terminal.askSecret('Password') : undefined
  const user = await createUser(context, audit, caller, { username: username.data, role_id, display_name, password })
  if (password !== undefined) return done({ ok: true, user }, `${user.username} may sign in.`)
  return invited(accounts, user, link)
}

async function resetPassword(
  accounts: Accounts,
  terminal: Terminal,
  { values }: Arguments,
  name: string,
  link: (path: string) => string,
): Promise<Outcome> {
  const user = await find(accounts, name)
  if (!values['password-stdin']) return invited(accounts, user, link)
  const password = await terminal.askSecret('New password')
  return change(accounts, name, { password }, 'has the new password, and is signed out everywhere')
}

async function invited(
  { context, audit, caller }: Accounts,
  user: { user_id: string; username: string },
  link: (path: string) => string,
): Promise<Outcome> {
  const { path, expires_at } = await invite(context, audit, caller, user.user_id)
  const value = { ok: true, username: user.username, link: link(path), expires_at }
  return done(value, `${user.username} chooses a password here, once, until ${expires_at}:\n${value.link}`)
}

async function change(
  accounts: Accounts,
  name: string,
  body: Parameters<typeof updateUser>[4],
  told: string,
): Promise<Outcome> {
  const { user_id } = await find(accounts, name)
  const user = await updateUser(accounts.context, accounts.audit, accounts.caller, user_id, body)
  return done({ ok: true, user }, `${user.username} ${told}.`)
}

async function remove(accounts: Accounts, { values }: Arguments, name: string): Promise<Outcome> {
  const { user_id, username } = await find(accounts, name)
  if (values['yes'] !== true)
    throw new CommandProblem(
      `This permanently deletes ${username} with all conversations and files. Add --yes to confirm; reeve user disable can be undone.`,
    )
  await deleteUser(accounts.context, accounts.audit, accounts.caller, user_id)
  return done({ ok: true, user_id, username }, `${username} is deleted, with all conversations and files.`)
}

async function find({ context }: Accounts, name: string): Promise<{ user_id: string; username: string }> {
  const user = await context.db.read
    .selectFrom('user')
    .select(['user_id', 'username'])
    .where('username_folded', '=', fold(name))
    .executeTakeFirst()
  if (user === undefined) throw new CommandProblem(`There is no user ${name}. reeve user list shows those there are.`)
  return user
}

async function roleId({ context }: Accounts, name: string): Promise<string> {
  const roles = await listRoles(context)
  const role = roles.find((each) => fold(each.name) === fold(name))
  if (role === undefined)
    throw new CommandProblem(`There is no role ${name}. There are ${roles.map((each) => each.name).join(', ')}.`)
  return role.role_id
}

function named(name: string | undefined): string {
  if (name === undefined) throw new UsageProblem('Name the user.')
  return name
}

function done(value: unknown, text: string): Outcome {
  return { code: 0, value, text }
}
