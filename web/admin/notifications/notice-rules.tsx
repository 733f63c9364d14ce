import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import type { Output } from '../../client/api-types.ts'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { UnsavedChanges } from '../../parts/layout/unsaved-changes.tsx'
import { t } from '../../text/i18n.ts'
import { waitChoices } from './wait-choices.ts'
import type { Channel } from './channel-draft.ts'
import { rolesQuery, useNotificationChange } from './channels-query.ts'

type Rule = Omit<Output<'GET /api/admin/notification-rules'>['items'][number], 'rule_id'>

interface NoticeRulesProps {
  readonly stored: readonly Rule[]
  readonly channels: readonly Channel[]
}

/** Who else is told of cards: of whose, after how long, and where. Remounted when what is stored changes. */
export function NoticeRules({ stored, channels }: NoticeRulesProps) {
  const [rules, setRules] = useState<readonly Rule[]>(stored)
  const [dirty, setDirty] = useState(false)
  const roles = useQuery(rolesQuery).data ?? []
  const save = useNotificationChange()
  const change = (next: readonly Rule[]): void => {
    setRules(next)
    setDirty(true)
    save.reset()
  }
  const places = [
    ...channels.map(({ channel_id, name }) => ({ value: `c:${channel_id}`, label: name })),
    ...roles.map(({ role_id, name }) => ({ value: `r:${role_id}`, label: t('channels.to_role', { role: name }) })),
  ]
  const first = places[0]?.value
  return (
    <Section
      title={t('channels.rules')}
      actions={
        <Button
          size="sm"
          icon={Plus}
          disabled={first === undefined}
          onClick={() => first !== undefined && change([...rules, { role_id: null, after_s: 900, ...placeOf(first) }])}
        >
          {t('channels.rule_add')}
        </Button>
      }
    >
      <p className="text-muted mb-3 max-w-prose">{t('channels.rules_text')}</p>
      {rules.length > 0 && (
        <Panel>
          <ul className="divide-line divide-y">
            {rules.map((rule, index) => (
              // Rules have no name before they are saved, and are only added at the end.
              <li
                key={index}
                className="grid grid-cols-[1fr_auto] items-end gap-3 px-4 py-3 sm:grid-cols-[1fr_1fr_1fr_auto]"
              >
                <SelectField
                  label={t('channels.rule_of')}
                  value={rule.role_id ?? ''}
                  onChange={(role_id) =>
                    change(rules.with(index, { ...rule, role_id: role_id === '' ? null : role_id }))
                  }
                  options={[
                    { value: '', label: t('engine.roles_all') },
                    ...roles.map(({ role_id, name }) => ({ value: role_id, label: name })),
                  ]}
                />
                <SelectField
                  label={t('channels.rule_after')}
                  value={String(rule.after_s)}
                  onChange={(after) => change(rules.with(index, { ...rule, after_s: Number(after) }))}
                  options={waitChoices(rule.after_s)}
                  className="max-sm:col-span-2"
                />
                <SelectField
                  label={t('channels.rule_to')}
                  value={rule.channel_id === null ? `r:${rule.to_role_id}` : `c:${rule.channel_id}`}
                  onChange={(place) => change(rules.with(index, { ...rule, ...placeOf(place) }))}
                  options={places}
                  className="max-sm:col-span-2"
                />
                <IconButton
                  label={t('channels.rule_remove', { number: index + 1 })}
                  icon={Trash2}
                  onClick={() => change(rules.toSpliced(index, 1))}
                  // Beside the first field, however many stand in a row.
                  className="max-sm:col-start-2 max-sm:row-start-1"
                />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {save.isError && <ErrorNotice className="mt-3" title={t('channels.not_saved')} error={save.error} />}
      {dirty && (
        <div className="mt-3 flex justify-end gap-2">
          <Button
            onClick={() => {
              setRules(stored)
              setDirty(false)
            }}
          >
            {t('action.discard')}
          </Button>
          <Button
            variant="primary"
            busy={save.isPending}
            onClick={() =>
              save.mutate({
                run: () => call('PUT /api/admin/notification-rules', { body: { items: rules.map(plain) } }),
                done: t('channels.rules_saved'),
                after: () => setDirty(false),
              })
            }
          >
            {t('action.save')}
          </Button>
        </div>
      )}
      <UnsavedChanges dirty={dirty} />
    </Section>
  )
}

function placeOf(value: string): Pick<Rule, 'channel_id' | 'to_role_id'> {
  const id = value.slice(2)
  return value.startsWith('c:') ? { channel_id: id, to_role_id: null } : { channel_id: null, to_role_id: id }
}

/** Without the id, which the server gives anew. */
function plain({ role_id, after_s, channel_id, to_role_id }: Rule): Rule {
  return { role_id, after_s, channel_id, to_role_id }
}
