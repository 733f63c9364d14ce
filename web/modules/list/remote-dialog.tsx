import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import { ApiError } from '../../client/api-error.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { fieldErrors } from '../../client/field-errors.ts'
import type { RemoteServer } from '../add/understand.ts'
import { moduleQuery, modulesQuery } from './module-queries.ts'
import { slugOf } from './slug-of.ts'

/** How one gets in. */
const WAYS = ['open', 'token', 'headers', 'shared', 'person'] as const
type Way = (typeof WAYS)[number]

function isSignIn(way: Way): way is 'shared' | 'person' {
  return way === 'shared' || way === 'person'
}

interface RemoteDialogProps {
  /** What is known of it already. */
  readonly given: RemoteServer
  onClose(): void
}

/** Adds an MCP server by its address. It is not contacted until it is enabled. */
export function RemoteDialog({ given, onClose }: RemoteDialogProps) {
  const [url, setUrl] = useState(given.url)
  const [displayName, setDisplayName] = useState(given.name)
  const [ownName, setOwnName] = useState<string | null>(null)
  const [way, setWay] = useState<Way>(given.headers !== '' ? 'headers' : given.token !== '' ? 'token' : 'open')
  const [token, setToken] = useState(given.token)
  const [headers, setHeaders] = useState(given.headers)
  const [allowPrivate, setAllowPrivate] = useState(false)
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const name = ownName ?? slugOf(displayName)
  // A configuration may have headers besides its token.
  const withToken = way === 'token' || (way === 'headers' && given.token !== '')
  const add = useMutation({
    mutationFn: () =>
      call('POST /api/modules/remote', {
        body: {
          name,
          display_name: displayName.trim(),
          url: url.trim(),
          allow_private: allowPrivate,
          ...(withToken && token !== '' && { token }),
          ...(way === 'headers' && { headers }),
          ...(isSignIn(way) && { sign_in: way }),
        },
      }),
    onSuccess: ({ module, catalog }) => {
      queryClient.setQueryData(moduleQuery(module.name).queryKey, module)
      queryClient.setQueryData(modulesQuery.queryKey, catalog)
      toast({ text: t('modules.remote_added', { name: module.display_name }), tone: 'ok' })
      onClose()
      // It has to be connected before there is anything to enable.
      const search = isSignIn(way) ? {} : { review: true as const }
      void navigate({ to: '/modules/$name', params: { name: module.name }, search })
    },
  })
  const proof = way === 'token' ? token : way === 'headers' ? headers.trim() : way
  const ready = url.trim() !== '' && displayName.trim() !== '' && name !== '' && proof !== ''
  const onSubmit = (): void => {
    if (ready && !add.isPending) add.mutate()
  }
  const code = add.error instanceof ApiError ? add.error.code : null
  const wrong = fieldErrors(add.error)
  const nameTaken = code === 'module_exists' || code === 'name_of_builtin'
  const unplaced = add.isError && wrong.size === 0 && !nameTaken && code !== 'bad_module_url'
  return (
    <FormDialog
      title={t('modules.remote_add')}
      description={t('modules.remote_text')}
      onClose={onClose}
      onSubmit={onSubmit}
      submit={t('modules.remote_submit')}
      busy={add.isPending}
      disabled={!ready}
    >
      {unplaced && <ErrorNotice title={t('modules.remote_failed')} error={add.error} />}
      <TextField
        label={t('modules.remote_url')}
        type="url"
        value={url}
        onChange={setUrl}
        placeholder="https://example.com/mcp"
        error={wrong.get('url') ?? (code === 'bad_module_url' ? explainError(add.error) : null)}
        autoComplete="off"
        autoFocus
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t('modules.display_name')}
          value={displayName}
          onChange={setDisplayName}
          maxLength={80}
          error={wrong.get('display_name')}
          autoComplete="off"
        />
        <TextField
          label={t('modules.short_name')}
          hint={t('modules.short_name_hint')}
          value={name}
          onChange={setOwnName}
          maxLength={64}
          error={wrong.get('name') ?? (nameTaken ? explainError(add.error) : null)}
          autoComplete="off"
          spellCheck={false}
          className="[&_input]:font-mono"
        />
      </div>
      <SelectField
        label={t('modules.remote_way')}
        hint={isSignIn(way) ? t('modules.remote_way_oauth_hint') : undefined}
        value={way}
        onChange={(chosen) => setWay(chosen as Way)}
        options={WAYS.map((value) => ({ value, label: t(`modules.remote_way_${value}`) }))}
        error={wrong.get('sign_in')}
      />
      {withToken && (
        <TextField
          label={t('modules.remote_token')}
          hint={t('modules.remote_token_hint')}
          type="password"
          value={token}
          onChange={setToken}
          error={wrong.get('token')}
          autoComplete="off"
        />
      )}
      {way === 'headers' && (
        <TextArea
          label={t('modules.remote_headers')}
          hint={t('modules.remote_headers_hint')}
          value={headers}
          onChange={setHeaders}
          error={wrong.get('headers')}
          rows={3}
          spellCheck={false}
          autoComplete="off"
          className="[&_textarea]:font-mono"
        />
      )}
      <CheckField
        label={t('modules.remote_private')}
        hint={t('modules.remote_private_hint')}
        checked={allowPrivate}
        onChange={setAllowPrivate}
      />
    </FormDialog>
  )
}
