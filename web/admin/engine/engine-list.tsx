import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Cpu, Ellipsis, Pencil, Star, Tag, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ENGINE_PRESETS } from '../../../contract/engine-presets.ts'
import { call } from '../../client/api.ts'
import { explainError } from '../../client/explain-error.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Menu } from '../../parts/controls/menu.tsx'
import { Badge } from '../../parts/feedback/badge.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { engineDraftOf, engineRequestOf } from './engine-draft.ts'
import { engineChanged, type EngineEntry, rolesQuery } from './engine-query.ts'

interface EngineListProps {
  readonly engines: readonly EngineEntry[]
  onOpen(engine_id: string): void
}

/** Every engine in a row of its own: what it is, who may use it, what it is used for. */
export function EngineList({ engines, onOpen }: EngineListProps) {
  return (
    <Panel>
      <ul aria-label={t('admin.ai')} className="divide-line divide-y">
        {engines.map((engine) => (
          <EngineRow key={engine.engine_id} engine={engine} onOpen={() => onOpen(engine.engine_id)} />
        ))}
      </ul>
    </Panel>
  )
}

function EngineRow({ engine, onOpen }: { readonly engine: EngineEntry; onOpen(): void }) {
  const [asking, setAsking] = useState(false)
  const client = useQueryClient()
  const onError = (error: unknown): void => toast({ text: explainError(error), tone: 'danger' })
  const params = { engine_id: engine.engine_id }
  const change = useMutation({
    mutationFn: (uses: { default?: true; naming?: boolean }) =>
      call('PUT /api/admin/ai/engines/{engine_id}', {
        params,
        body: { ...engineRequestOf(engineDraftOf(engine)), ...uses },
      }),
    onSuccess: () => engineChanged(client),
    onError,
  })
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/admin/ai/engines/{engine_id}', { params }),
    onSuccess: async () => {
      await engineChanged(client)
      toast({ text: t('engine.removed'), tone: 'ok' })
    },
    onError,
  })
  const saved = engine.source === 'settings'
  const entries = [
    ...(engine.default
      ? []
      : [{ label: t('engine.make_default'), icon: Star, onSelect: () => change.mutate({ default: true }) }]),
    {
      label: t(engine.naming ? 'engine.stop_naming' : 'engine.make_naming'),
      icon: Tag,
      onSelect: () => change.mutate({ naming: !engine.naming }),
    },
    { label: t('engine.remove'), icon: Trash2, danger: true, onSelect: () => setAsking(true) },
  ]
  return (
    <li className="flex items-start gap-3 px-4 py-3">
      <span className="bg-sunken text-muted mt-0.5 hidden size-8 shrink-0 items-center justify-center rounded-md sm:flex">
        <Cpu aria-hidden className="size-4" />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium break-words">{engine.name}</span>
          {engine.default && <Badge tone="active">{t('engine.is_default')}</Badge>}
          {engine.naming && <Badge tone="info">{t('engine.is_naming')}</Badge>}
          {!saved && <Badge>{t('engine.is_environment')}</Badge>}
        </p>
        {(engine.models.length > 1 || engine.name !== engine.model) && (
          <p className="text-muted mt-0.5 text-sm break-words">
            <span className="font-mono">{engine.model}</span>
            {engine.models.length > 1 && ` ${t('engine.more_models', { count: engine.models.length - 1 })}`}
          </p>
        )}
        <EngineLine engine={engine} />
      </div>
      <Button size="sm" icon={saved ? Pencil : undefined} onClick={onOpen} className="max-sm:hidden">
        {t(saved ? 'engine.edit' : 'engine.show')}
        <span className="sr-only"> {engine.name}</span>
      </Button>
      <IconButton
        label={t(saved ? 'engine.edit_one' : 'engine.show_one', { name: engine.name })}
        icon={Pencil}
        size="sm"
        onClick={onOpen}
        className="sm:hidden"
      />
      {saved && (
        <Menu
          trigger={<IconButton label={t('engine.menu', { name: engine.name })} icon={Ellipsis} size="sm" />}
          entries={entries}
          align="end"
        />
      )}
      {asking && (
        <ConfirmDialog
          title={t('engine.remove_title', { name: engine.name })}
          text={t('engine.remove_text')}
          verb={t('engine.remove')}
          danger
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  )
}

/** Where it is, who may use it, and whether it has a key. */
function EngineLine({ engine }: { readonly engine: EngineEntry }) {
  const roles = useQuery(rolesQuery).data ?? []
  const preset = ENGINE_PRESETS.find(
    ({ provider, base_url }) => provider === engine.provider && base_url === engine.base_url,
  )
  const place = engine.base_url === null ? preset?.name : new URL(engine.base_url).host
  const withoutTools = new Set(
    (engine.facts ?? [])
      .filter(({ facts }) => facts.some(({ fact, value }) => fact === 'tools' && value === 0))
      .map(({ model }) => model),
  )
  const who = engine.role_ids.map((id) => roles.find(({ role_id }) => role_id === id)?.name ?? '…').join(', ')
  return (
    <p className="text-muted mt-0.5 text-sm break-words">
      {[
        place ?? engine.provider,
        engine.role_ids.length === 0 ? t('engine.roles_all') : t('engine.roles_only', { roles: who }),
        t(engine.api_key.configured ? 'engine.has_key' : 'engine.has_no_key'),
        withoutTools.has(engine.model)
          ? t('engine.without_tools')
          : t('engine.tool_tokens', { tokens: formatNumber(engine.tool_tokens) }),
      ].join(' · ')}
    </p>
  )
}
