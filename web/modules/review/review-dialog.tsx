import { useState, type ReactNode } from 'react'
import type { Capabilities, ModuleDetail, SettingField } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { ExtrasEditor } from './extras-editor.tsx'
import { extrasForm, extrasOf, type ExtrasForm } from './extras-form.ts'
import { GrantsEditor } from './grants-editor.tsx'
import { grantsBody, grantsForm, grantsOf, reachesMore, sameGrants, type GrantsForm } from './grants-form.ts'
import { IsolationText } from '../overview/isolation-badge.tsx'
import { LaunchCommand } from './launch-command.tsx'
import { ReviewTools } from './review-tools.tsx'
import { RuleList } from './rule-list.tsx'
import { SignatureState } from './signature-state.tsx'
import { useArmed } from '../../parts/controls/use-armed.ts'
import { useModuleChange } from '../list/use-module-change.ts'

interface ReviewDialogProps {
  readonly module: ModuleDetail
  /** The access granted to it; before that, the access it requests. */
  readonly grants: Capabilities
  readonly fields: readonly SettingField[]
  onSettings(): void
  onClose(): void
}

const WEIGHT = { danger: 0, warn: 1, info: 2 }

/** Everything an administrator agrees to by enabling a module: its command, access, signature and tools. */
export function ReviewDialog({ module, grants, fields, onSettings, onClose }: ReviewDialogProps) {
  const { review, enabled, display_name: name } = module
  const incomplete = module.state === 'needs_configuration'
  const [form, setForm] = useState<GrantsForm>(() => grantsForm(grants))
  const [extras, setExtras] = useState<ExtrasForm>(() => extrasForm(module.extras))
  const armed = useArmed()
  const change = useModuleChange()
  const given = grantsOf(form)
  const added = extrasOf(extras)
  const args = [...(review?.args ?? []), ...added.args]
  const before = extrasForm(module.extras)
  const changed = extras.args !== before.args || extras.env !== before.env
  const variables = [...new Set([...(review?.env_keys ?? []), ...added.env.map((variable) => variable.name)])]
  const verb = t(enabled ? 'modules.agree_restart' : 'modules.enable_start')
  const digest = module.versions.find((version) => version.current)?.digest
  const enable = (): void =>
    change.mutate({
      id: 'enable',
      failed: t('modules.enable_failed', { name }),
      done: t('modules.enabled', { name }),
      run: () =>
        call('POST /api/modules/{module_name}/enable', {
          params: { module_name: module.name },
          body: {
            ...grantsBody(review, given),
            ...(changed && { extras: added }),
            ...(digest === undefined ? {} : { digest }),
          },
        }),
      after: onClose,
    })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('modules.review_title', { name, version: module.version })}
      description={t(review === null ? 'modules.review_remote_text' : 'modules.review_text')}
      size="lg"
      actions={
        <>
          <Button onClick={onClose}>{t('modules.not_now')}</Button>
          {incomplete ? (
            <Button variant="primary" onClick={onSettings}>
              {t('modules.fill_settings')}
            </Button>
          ) : (
            <Button variant="primary" disabled={!armed} busy={change.isPending} onClick={enable}>
              {verb}
            </Button>
          )}
        </>
      }
    >
      <div className="space-y-6">
        {change.isError && (
          <ErrorNotice title={change.variables.failed} error={change.error} className="whitespace-pre-line" />
        )}
        {module.problem !== null && (incomplete || module.state === 'needs_review') && (
          <Notice tone="warn">{module.problem}</Notice>
        )}
        {review === null ? (
          <Part title={t('modules.address')}>
            <p className="font-mono text-sm break-all">{module.url}</p>
          </Part>
        ) : (
          <>
            {review.warnings.length > 0 && (
              <div className="space-y-2">
                {review.warnings
                  .toSorted((a, b) => WEIGHT[a.level] - WEIGHT[b.level])
                  .map(({ code, level, message }, index) => (
                    <Notice key={`${code} ${index}`} tone={level}>
                      {message}
                    </Notice>
                  ))}
              </div>
            )}
            <Part title={t('modules.runs')}>
              <LaunchCommand command={review.command} args={args} />
              <p className="text-muted mt-1.5 text-sm">
                {variables.length === 0 ? t('modules.env_none') : t('modules.env_keys')}{' '}
                {variables.map((key) => (
                  <code key={key} className="text-ink me-2 inline-block max-w-full break-all">
                    {key}
                  </code>
                ))}
              </p>
              <ExtrasEditor form={extras} onChange={setExtras} />
            </Part>
            <Part title={t('modules.may_reach')}>
              {reachesMore(review.capabilities, given) && (
                <Notice
                  tone="info"
                  className="mb-3"
                  actions={
                    <Button size="sm" onClick={() => setForm(grantsForm(review.capabilities))}>
                      {t('modules.give_asked')}
                    </Button>
                  }
                >
                  {t('modules.asks_more')}
                </Notice>
              )}
              {enabled && !sameGrants(given, grants) && <p className="mb-3">{t('modules.grants_changed')}</p>}
              <GrantsEditor form={form} fields={fields} args={args} onChange={setForm} />
            </Part>
          </>
        )}
        {module.rules.length > 0 && (
          <Part title={t('modules.rules_apply')}>
            <p className="text-muted mb-2 text-sm">{t('modules.rules_apply_text')}</p>
            <RuleList rules={module.rules} />
          </Part>
        )}
        <Part title={t('modules.isolation')}>
          <IsolationText isolation={module.isolation} />
        </Part>
        {review !== null && (
          <>
            <Part title={t('modules.signature')}>
              <SignatureState signature={review.signature} />
            </Part>
            <Part title={t('modules.tools')}>
              <ReviewTools review={review} known={module.tools} />
            </Part>
          </>
        )}
      </div>
    </Dialog>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1.5 font-semibold">{title}</h3>
      {children}
    </section>
  )
}
