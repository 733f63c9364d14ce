import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { Plug } from 'lucide-react'
import { connectionsQuery } from '../../account/account-queries.ts'
import { moduleQuery, modulesQuery } from '../../modules/list/module-queries.ts'
import { sessionQuery } from '../../client/queries.ts'
import { t } from '../../text/i18n.ts'

const LOOK =
  'inline-flex min-h-7 w-fit max-w-full items-center gap-1.5 rounded-md border border-line-strong/60 bg-surface px-2.5 py-0.5 text-sm font-medium shadow-sm hover:bg-hover'

/** Leads to where the module is connected that a call was not let into, as long as it has to be. */
export function ConnectFirst({ module }: { readonly module: string }) {
  const admin = useQuery(sessionQuery).data?.user.admin === true
  const own = useQuery(connectionsQuery).data
  const theirs = own?.find((connection) => connection.module === module)
  const shared = useQuery({ ...modulesQuery, enabled: admin && own !== undefined && theirs === undefined }).data
  const entry = shared?.find(({ name }) => name === module)
  const connection = useQuery({ ...moduleQuery(module), enabled: entry !== undefined }).data?.connection
  const { c } = useSearch({ strict: false })
  if (theirs !== undefined) {
    if (theirs.status === 'connected' && theirs.problem === null) return null
    return (
      <div>
        <Link to="/account" search={{ tab: 'connections', ...(c !== undefined && { from: c }) }} className={LOOK}>
          <Label name={theirs.display_name} />
        </Link>
      </div>
    )
  }
  // Where it is one connection for everybody, or the one that lists the tools, administrators make it on the module's page.
  if (entry === undefined || connection == null) return null
  if (connection.status === 'connected' && connection.problem == null) return null
  return (
    <div>
      <Link to="/modules/$name" params={{ name: module }} className={LOOK}>
        <Label name={entry.display_name} />
      </Link>
    </div>
  )
}

function Label({ name }: { readonly name: string }) {
  return (
    <>
      <Plug aria-hidden className="size-3.5 shrink-0" />
      <span className="min-w-0 break-words">{t('connections.connect_module', { name })}</span>
    </>
  )
}
