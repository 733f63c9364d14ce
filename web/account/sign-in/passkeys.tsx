import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import { formatDate } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { Badge } from '../../parts/feedback/badge.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { type Passkey, passkeysQuery } from '../account-queries.ts'
import { PasskeyDialog } from './passkey-dialog.tsx'

type Open = { readonly kind: 'add' } | { readonly kind: 'rename' | 'delete'; readonly passkey: Passkey } | null

/** The user's passkeys: add, rename, delete. */
export function Passkeys({ unavailable }: { readonly unavailable: string | null }) {
  const query = useQuery(passkeysQuery)
  const queryClient = useQueryClient()
  const [open, setOpen] = useState<Open>(null)
  const remove = useMutation({
    mutationFn: ({ passkey_id }: Passkey) => call('DELETE /api/auth/passkeys/{passkey_id}', { params: { passkey_id } }),
    onSuccess: (_answer, { name }) => toast({ text: t('account.passkey_deleted', { name }), tone: 'ok' }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['account', 'passkeys'] }),
  })
  const add = unavailable === null && (
    <Button icon={Plus} onClick={() => setOpen({ kind: 'add' })}>
      {t('account.passkey_add')}
    </Button>
  )
  return (
    <Section title={t('account.passkeys')}>
      <div className="space-y-3">
        {unavailable !== null && <Notice tone="info">{unavailable}</Notice>}
        {remove.isError && <ErrorNotice title={t('account.passkey_delete_failed')} error={remove.error} />}
        <QueryView
          query={query}
          failed={t('account.passkeys_failed')}
          loading={<SkeletonRows rows={1} className="h-16 rounded-lg" />}
        >
          {(passkeys) =>
            passkeys.length === 0 ? (
              <Panel>
                <EmptyState
                  icon={KeyRound}
                  level={3}
                  title={t('account.passkeys_none')}
                  text={t('account.passkeys_text')}
                  actions={add}
                />
              </Panel>
            ) : (
              <>
                <Panel>
                  <ul className="divide-line divide-y">
                    {passkeys.map((passkey) => (
                      <Row key={passkey.passkey_id} passkey={passkey} onOpen={setOpen} />
                    ))}
                  </ul>
                </Panel>
                {add}
              </>
            )
          }
        </QueryView>
      </div>
      {(open?.kind === 'add' || open?.kind === 'rename') && (
        <PasskeyDialog passkey={open.kind === 'rename' ? open.passkey : null} onClose={() => setOpen(null)} />
      )}
      {open?.kind === 'delete' && (
        <ConfirmDialog
          title={t('account.passkey_delete_title', { name: open.passkey.name })}
          text={t('account.passkey_delete_text')}
          verb={t('action.delete')}
          danger
          onConfirm={() => remove.mutate(open.passkey)}
          onClose={() => setOpen(null)}
        />
      )}
    </Section>
  )
}

function Row({ passkey, onOpen }: { readonly passkey: Passkey; onOpen(open: Open): void }) {
  const { name, synced, created_at: made, last_used_at: used } = passkey
  return (
    <li className="flex items-center justify-between gap-3 px-4 py-2.5">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 font-medium break-words">
          {name}
          {synced && <Badge>{t('account.passkey_synced')}</Badge>}
        </p>
        <p className="text-muted text-sm">
          {t('account.added_on', { date: formatDate(made) })} ·{' '}
          {used === null ? (
            t('account.never_used')
          ) : (
            <>
              {t('account.last_used')} <RelativeTime at={used} />
            </>
          )}
        </p>
      </div>
      <div className="flex shrink-0">
        <IconButton
          label={t('account.passkey_rename_named', { name })}
          icon={Pencil}
          onClick={() => onOpen({ kind: 'rename', passkey })}
        />
        <IconButton
          label={t('account.passkey_delete_named', { name })}
          icon={Trash2}
          onClick={() => onOpen({ kind: 'delete', passkey })}
        />
      </div>
    </li>
  )
}
