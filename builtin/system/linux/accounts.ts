/** An account of the machine, as its files tell. */
export interface Account {
  readonly name: string
  readonly uid: number
  /** Of a person: one that adduser gives. */
  readonly person: boolean
  readonly full_name: string
  /** Sorted, the account's own group among them. */
  readonly groups: string
  readonly home: string
  readonly shell: string
  /** Its shell lets somebody in. */
  readonly sign_in: boolean
}

const NO_SHELL = /\/(?:nologin|false|sync|halt|shutdown)$/
const FIRST_PERSON = 1000
const LAST_PERSON = 60_000

/** The accounts of /etc/passwd with their groups of /etc/group: people first, each kind by name. */
export function parseAccounts(passwd: string | null, group: string | null): Account[] {
  const groups = lines(group).flatMap(([name, , gid, members]) =>
    name === undefined || gid === undefined ? [] : [{ name, gid, members: (members ?? '').split(',') }],
  )
  const seen = new Set<string>()
  const accounts = lines(passwd).flatMap(([name, , uid, gid, gecos, home, shell = '']): Account[] => {
    if (!name || seen.has(name) || !/^\d{1,10}$/.test(uid ?? '') || home === undefined) return []
    seen.add(name)
    const number = Number(uid)
    return [
      {
        name,
        uid: number,
        person: number >= FIRST_PERSON && number <= LAST_PERSON,
        full_name: gecos?.split(',')[0] ?? '',
        groups: groups
          .filter((one) => one.gid === gid || one.members.includes(name))
          .map((one) => one.name)
          .sort()
          .join(', '),
        home,
        shell,
        sign_in: !NO_SHELL.test(shell),
      },
    ]
  })
  return accounts.sort((a, b) => Number(b.person) - Number(a.person) || (a.name < b.name ? -1 : 1))
}

function lines(text: string | null): (string | undefined)[][] {
  return (text ?? '').split('\n').map((line) => line.split(':'))
}
