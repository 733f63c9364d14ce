import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { sessionQuery } from '../../client/queries.ts'
import { formatDuration, formatTime } from '../../text/format.ts'
import { type MessageKey, t } from '../../text/i18n.ts'
import { actionLabel } from './audit-actions.ts'
import type { AuditEntry } from './audit-query.ts'
import { auditObject, hostName, recordedName } from './audit-words.ts'

const ID = /^([a-z]{3}_[0-9a-z]{28}|[0-9a-f]{64})$/

/** Entries that are told as a whole sentence; all others by who and what. */
const SENTENCES: Readonly<Partial<Record<string, MessageKey>>> = {
  'tool.called': 'audit.said_tool_called',
  'tool.counted': 'audit.said_tool_counted',
  'approval.approved': 'audit.said_approval_approved',
  'approval.denied': 'audit.said_approval_denied',
  'file.downloaded': 'audit.said_file_downloaded',
  'file.previewed': 'audit.said_file_previewed',
  'file.deleted': 'audit.said_file_deleted',
}

/** Who did what, as one sentence with its particulars. */
export function AuditSentence({ entry }: { readonly entry: AuditEntry }) {
  const { action, actor, actor_display_name: name, details } = entry
  const who = (
    <b className="font-semibold" title={actor}>
      {actor === ''
        ? action.startsWith('signing_key.') || action === 'tool.settled'
          ? 'Reeve'
          : t('audit.nobody')
        : (name ?? actor)}
    </b>
  )
  const key = SENTENCES[action]
  const subject = subjectOf(entry)
  if (key === undefined || (action.startsWith('approval.') && typeof details['tool'] !== 'string'))
    return (
      <>
        {who} · {actionLabel(action)}
        {subject !== '' && <span className="text-muted"> · {subject}</span>}
      </>
    )
  const object = auditObject(entry)
  const what = action.startsWith('file.') ? (
    <b className="font-medium">{object}</b>
  ) : (
    <code className="text-sm break-all">{object}</code>
  )
  return (
    <>
      {filled(t(key, { count: Number(details['times'] ?? 0) }), { actor: who, what, host: hostName(details) })}
      {particulars(entry).map((text) => (
        <Fragment key={text}>
          {' '}
          <span className="text-muted">· {text}</span>
        </Fragment>
      ))}
    </>
  )
}

/** A link to the conversation in which it happened, for the one person who may open it. */
export function ConversationLink({ entry }: { readonly entry: AuditEntry }) {
  const me = useQuery(sessionQuery).data?.user.id
  const id = entry.details['conversation_id']
  const owner = (entry.details['asked_by'] as { user_id?: string } | undefined)?.user_id ?? entry.actor_id
  if (typeof id !== 'string' || owner !== me) return null
  return (
    <Link
      to="/chat"
      search={{ c: id }}
      className="text-accent text-sm font-medium whitespace-nowrap underline-offset-2 hover:underline"
    >
      {t('audit.open_conversation')} <span aria-hidden>→</span>
    </Link>
  )
}

function particulars({ action, actor, details }: AuditEntry): string[] {
  const { approved_by: approver, asked_by: asker, exit_code, duration_ms, failed, from, to, reason, forever } = details
  const approved = recordedName(approver)
  const asked = recordedName(asker)
  const all = [
    approved !== null &&
      t((approver as { for_conversation?: boolean }).for_conversation ? 'audit.approved_before' : 'audit.approved_by', {
        name: approved,
      }),
    asked !== null && (asker as { username?: string }).username !== actor && t('audit.asked_by', { name: asked }),
    typeof exit_code === 'number' && t('audit.exit', { code: String(exit_code) }),
    typeof duration_ms === 'number' && formatDuration(duration_ms),
    typeof failed === 'number' && failed > 0 && t('audit.times_failed', { failed }),
    action === 'tool.counted' &&
      typeof from === 'string' &&
      typeof to === 'string' &&
      `${formatTime(from)}–${formatTime(to)}`,
    typeof reason === 'string' && reason,
    forever === true && t('audit.forever'),
  ]
  return all.filter((text) => typeof text === 'string')
}

/** The target, by name where one was recorded. Omitted where it would be an id, or repeat the actor. */
function subjectOf({ action, details, target, actor, actor_id: actorId }: AuditEntry): string {
  const { username, before, after, role } = details
  if (action.startsWith('elevation.') && typeof role === 'string') return role
  if (typeof username === 'string' && username !== actor) return username
  const named = [after, before].find((one) => typeof one === 'object' && one !== null && 'name' in one)
  if (named !== undefined) return String(named.name)
  return target === actorId || target === actor || typeof username === 'string' || ID.test(target) ? '' : target
}

/** A text with `{name}` left in it, and elements in these places. */
function filled(text: string, parts: Readonly<Record<string, ReactNode>>): ReactNode[] {
  return text
    .split(/\{(\w+)\}/)
    .map((piece, at) => <Fragment key={at}>{at % 2 === 1 ? (parts[piece] ?? '') : piece}</Fragment>)
}
