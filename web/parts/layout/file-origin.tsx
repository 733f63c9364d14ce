import type { FileRef } from '../../../contract/files.ts'
import { useModuleTitle } from '../../client/module-title.ts'
import { t } from '../../text/i18n.ts'

interface FileOriginProps {
  readonly origin: NonNullable<FileRef['origin']>
  readonly className: string
}

/** The module that a file was read from; its address on hovering. */
export function FileOrigin({ origin, className }: FileOriginProps) {
  const module = useModuleTitle(origin.module)
  return (
    <span className={className} title={origin.uri}>
      {t('resources.origin', { module })}
    </span>
  )
}
