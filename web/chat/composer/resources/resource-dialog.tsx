import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { FileEntry } from '../../../../contract/files.ts'
import type { ResourceEntry, ResourceModule } from '../../../../contract/resources.ts'
import { call } from '../../../client/api.ts'
import { toast } from '../../../parts/feedback/toast.tsx'
import { Dialog } from '../../../parts/layout/dialog.tsx'
import { t } from '../../../text/i18n.ts'
import { ResourceForm } from './resource-form.tsx'
import { ResourceList } from './resource-list.tsx'

interface ResourceDialogProps {
  readonly modules: readonly ResourceModule[]
  onStored(file: FileEntry): void
  onClose(): void
}

/**
 * Something of a module to be attached: found by words, filled in where it is a family, confirmed where a rule asks. Read
 * at once otherwise.
 */
export function ResourceDialog({ modules, onStored, onClose }: ResourceDialogProps) {
  const [chosen, setChosen] = useState<ResourceEntry | null>(null)
  const read = useMutation({
    mutationFn: ({ entry, values }: { entry: ResourceEntry; values: Record<string, string> }) =>
      call('POST /api/chat/resources/read', {
        body: {
          module: entry.module,
          resource: entry.uri === null ? { template: entry.template!, values } : { uri: entry.uri },
          // Of a module that asks, only the form is submitted, which says so.
          confirmed: asks(entry),
        },
      }),
    onSuccess: ({ files, left_out: count }) => {
      for (const file of files) onStored(file)
      if (count > 0) toast({ tone: 'warn', text: t('resources.left_out', { count }) })
      onClose()
    },
  })
  const moduleOf = (entry: ResourceEntry) => modules.find(({ module }) => module === entry.module)
  const asks = (entry: ResourceEntry): boolean => moduleOf(entry)?.policy === 'ask'
  const choose = (entry: ResourceEntry): void => {
    if (entry.uri === null || asks(entry)) setChosen(entry)
    else read.mutate({ entry, values: {} })
  }
  const titleOf = (entry: ResourceEntry): string => moduleOf(entry)?.title ?? entry.module
  if (chosen !== null)
    return (
      <ResourceForm
        entry={chosen}
        module={titleOf(chosen)}
        asks={asks(chosen)}
        busy={read.isPending}
        error={read.error}
        onSubmit={(values) => read.mutate({ entry: chosen, values })}
        onBack={() => {
          read.reset()
          setChosen(null)
        }}
      />
    )
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('resources.title')}
      description={t('resources.text')}
    >
      <ResourceList
        titleOf={titleOf}
        reading={read.isPending ? read.variables.entry : null}
        error={read.error}
        onChoose={choose}
      />
    </Dialog>
  )
}
