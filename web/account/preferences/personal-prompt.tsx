import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../../client/api.ts'
import type { Output } from '../../client/api-types.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { queryClient } from '../../client/query-client.ts'

/** Unicode characters, as the server counts them. */
const LIMIT = 4000

/** What the assistant is told at the start of every run of this user. */
export function PersonalPrompt({ stored }: { readonly stored: string }) {
  const [text, setText] = useState(stored)
  const length = [...text].length
  const save = useMutation({
    mutationFn: () => call('PATCH /api/ui-preferences', { body: { personal_prompt: text } }),
    onSuccess: ({ personal_prompt }) => {
      queryClient.setQueryData<Output<'GET /api/ui-preferences'>>(
        ['preferences'],
        (before) => before && { ...before, personal_prompt },
      )
      toast({ text: t('preferences.prompt_saved'), tone: 'ok' })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (length <= LIMIT && text !== stored) save.mutate()
  }
  return (
    <Section title={t('preferences.prompt')}>
      <form onSubmit={submit} className="space-y-3">
        {save.isError && <ErrorNotice title={t('preferences.not_saved')} error={save.error} />}
        <TextArea
          label={t('preferences.prompt_label')}
          value={text}
          onChange={setText}
          rows={6}
          placeholder={t('preferences.prompt_example')}
          error={length > LIMIT ? t('preferences.prompt_too_long', { limit: LIMIT }) : null}
          hint={
            <span className="flex flex-wrap justify-between gap-x-4">
              <span className="min-w-0 flex-1 basis-64">{t('preferences.prompt_hint')}</span>
              <span className="tabular">
                {t('preferences.prompt_count', { count: formatNumber(length), limit: formatNumber(LIMIT) })}
              </span>
            </span>
          }
        />
        <div className="flex gap-2">
          <Button type="submit" variant="primary" busy={save.isPending} disabled={text === stored || length > LIMIT}>
            {t('action.save')}
          </Button>
          {text !== stored && <Button onClick={() => setText(stored)}>{t('preferences.discard')}</Button>}
        </div>
      </form>
    </Section>
  )
}
