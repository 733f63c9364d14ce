import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ModulePolicy } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { fieldErrors } from '../../client/field-errors.ts'
import { modulePolicyQuery } from './module-queries.ts'

type Level = ModulePolicy['least_isolation']['trusted']
const LEVELS: readonly Level[] = ['isolated', 'restricted', 'guarded', 'process']

/** Changes the rules for every installed bundle. */
export function ModulePolicyDialog({ policy, onClose }: { readonly policy: ModulePolicy; onClose(): void }) {
  const [trusted, setTrusted] = useState(policy.least_isolation.trusted)
  const [untrusted, setUntrusted] = useState(policy.least_isolation.untrusted)
  const [memory, setMemory] = useState(String(policy.memory_mib))
  const [signers, setSigners] = useState(policy.signers)
  const queryClient = useQueryClient()
  const save = useMutation({
    mutationFn: () =>
      call('PUT /api/modules/policy', {
        body: {
          least_isolation: { trusted, untrusted },
          memory_mib: Number(memory),
          signers: signers.map(({ fingerprint, name }) => ({
            fingerprint: plainDigits(fingerprint),
            name: name.trim(),
          })),
        },
      }),
    onSuccess: ({ policy: saved, isolation }) => {
      queryClient.setQueryData(modulePolicyQuery.queryKey, { policy: saved, isolation })
      toast({ text: t('modules.policy_saved'), tone: 'ok' })
      onClose()
    },
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['modules'] }),
  })
  const memoryFits = /^\d+$/.test(memory.trim()) && Number(memory) >= 64 && Number(memory) <= 65_536
  const wrongSigner = signers.findIndex(({ fingerprint }) => !/^[0-9a-f]{64}$/.test(plainDigits(fingerprint)))
  const onSubmit = (): void => {
    if (memoryFits && wrongSigner < 0 && !save.isPending) save.mutate()
  }
  const levels = LEVELS.map((level) => ({
    value: level,
    label: `${t(`modules.least_${level}`)} – ${t(`modules.isolation_text_${level}`)}`,
  }))
  const change = (index: number, patch: Partial<(typeof signers)[number]>): void =>
    setSigners(signers.map((signer, at) => (at === index ? { ...signer, ...patch } : signer)))
  return (
    <FormDialog
      title={t('modules.policy')}
      description={t('modules.policy_text')}
      size="lg"
      onClose={onClose}
      onSubmit={onSubmit}
      busy={save.isPending}
      disabled={!memoryFits || wrongSigner >= 0}
    >
      {save.isError && <ErrorNotice title={t('modules.policy_not_saved')} error={save.error} />}
      <SelectField
        label={t('modules.policy_trusted')}
        value={trusted}
        onChange={(level) => setTrusted(level as Level)}
        options={levels}
      />
      <SelectField
        label={t('modules.policy_untrusted')}
        value={untrusted}
        onChange={(level) => setUntrusted(level as Level)}
        options={levels}
        hint={t('modules.policy_untrusted_hint')}
      />
      <TextField
        label={t('modules.policy_memory_mib')}
        value={memory}
        onChange={setMemory}
        inputMode="numeric"
        autoComplete="off"
        error={fieldErrors(save.error).get('memory_mib') ?? (memoryFits ? null : t('modules.policy_memory_wrong'))}
        className="max-w-64"
      />
      <fieldset className="space-y-2">
        <legend className="mb-1.5 font-medium">{t('modules.policy_signers')}</legend>
        <p className="text-muted text-sm">{t('modules.policy_signers_hint')}</p>
        {signers.map((signer, index) => (
          <div key={index} className="flex items-start gap-2">
            <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[1fr_2fr]">
              <TextField
                label={t('modules.signer_name', { number: index + 1 })}
                hideLabel
                placeholder={t('modules.signer_name_short')}
                value={signer.name}
                onChange={(name) => change(index, { name })}
                maxLength={200}
              />
              <TextField
                label={t('modules.signer_fingerprint', { number: index + 1 })}
                hideLabel
                placeholder={t('modules.signer_fingerprint_short')}
                value={signer.fingerprint}
                onChange={(fingerprint) => change(index, { fingerprint })}
                error={
                  signer.fingerprint !== '' && !/^[0-9a-f]{64}$/.test(plainDigits(signer.fingerprint))
                    ? t('modules.signer_wrong')
                    : null
                }
                spellCheck={false}
                autoComplete="off"
                className="[&_input]:font-mono"
              />
            </div>
            <IconButton
              label={t('modules.signer_remove', { number: index + 1 })}
              icon={Trash2}
              onClick={() => setSigners(signers.filter((_, at) => at !== index))}
            />
          </div>
        ))}
        <Button size="sm" icon={Plus} onClick={() => setSigners([...signers, { fingerprint: '', name: '' }])}>
          {t('modules.signer_add')}
        </Button>
      </fieldset>
    </FormDialog>
  )
}

/** Accepts a fingerprint as programs print it (`AB:CD …`) or plain; returns only the digits. */
function plainDigits(fingerprint: string): string {
  return fingerprint.replaceAll(/[\s:]/g, '').toLowerCase()
}
