import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../api-error.ts'
import { t } from '../i18n.ts'
import { announce } from '../parts/announcer.tsx'
import { toast } from '../parts/toast.tsx'
import { moduleQuery } from './module-queries.ts'
import { uploadModule } from './upload-module.ts'

/** As the contract says it, which cannot be loaded here without zod. */
const SIZE_LIMIT = 128 * 1024 * 1024

export type Installing =
  | { readonly step: 'none' }
  /** `share` 1: it has arrived, and is being checked. */
  | { readonly step: 'upload'; readonly file: File; readonly share: number }
  | { readonly step: 'failed'; readonly file: File; readonly error: unknown; readonly olderOffered: boolean }

/** Installs a bundle, one at a time, and opens its review. Leaving the page cancels what has not arrived yet. */
export function useInstall() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [state, setState] = useState<Installing>({ step: 'none' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const start = async (file: File, allowDowngrade = false): Promise<void> => {
    if (running.current !== null) return toast({ text: t('modules.install_one'), tone: 'warn' })
    if (file.size > SIZE_LIMIT) {
      const error = new ApiError({ status: 413, code: 'payload_too_large', detail: t('modules.install_too_large') })
      return setState({ step: 'failed', file, error, olderOffered: false })
    }
    const abort = new AbortController()
    running.current = abort
    setState({ step: 'upload', file, share: 0 })
    try {
      const {
        module,
        review,
        previous_version: before,
      } = await uploadModule({
        file,
        allowDowngrade,
        onProgress: (share) => setState({ step: 'upload', file, share }),
        signal: abort.signal,
      })
      void queryClient.invalidateQueries({ queryKey: ['modules'] })
      // The new version did not come up, so the server has taken the old one back.
      const back = review.warnings.find(({ code }) => code === 'rolled_back')
      if (back !== undefined) throw new ApiError({ status: 409, code: 'module_start_failed', detail: back.message })
      setState({ step: 'none' })
      const values = { name: module.display_name, version: module.version, before: before ?? '' }
      const done = t(before === null ? 'modules.installed' : 'modules.upgraded', values)
      toast({ text: done, tone: 'ok' })
      announce(done)
      queryClient.setQueryData(moduleQuery(module.name).queryKey, module)
      // An upgrade that wants no more goes on by itself; its new tools are what there is to look at.
      const running = module.enabled && module.state !== 'needs_review'
      const search = !running ? { review: true as const } : module.changed_tools > 0 ? { tab: 'tools' } : {}
      await navigate({ to: '/modules/$name', params: { name: module.name }, search })
    } catch (error) {
      if (abort.signal.aborted) setState({ step: 'none' })
      else
        setState({
          step: 'failed',
          file,
          error,
          olderOffered: error instanceof ApiError && error.code === 'downgrade',
        })
    } finally {
      running.current = null
    }
  }
  return {
    state,
    start: (file: File, allowDowngrade?: boolean) => void start(file, allowDowngrade),
    cancel: () => running.current?.abort(),
    dismiss: () => setState({ step: 'none' }),
  }
}
