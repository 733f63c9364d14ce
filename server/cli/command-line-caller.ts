import { userInfo } from 'node:os'
import type { Caller } from '../../contract/route.ts'

/** Anyone who may run commands here may read the database anyway; the audit log shows the operating system account. */
export function commandLineCaller(): Caller {
  const name = `${userInfo().username} (command line)`
  return {
    user_id: 'command-line',
    username: name,
    display_name: name,
    role_id: '',
    role_revision: 0,
    admin: true,
    session_id: '',
    kind: 'session',
    language: 'en',
    scope: null,
  }
}
