import { CodeBlock } from '../../parts/layout/code-block.tsx'
import { t } from '../../text/i18n.ts'

interface FactsPartProps {
  readonly source: 'hook' | 'watch'
  /** JSON. */
  readonly text: string
}

/** What came with a message from elsewhere, as it came. */
export function FactsPart({ source, text }: FactsPartProps) {
  return (
    <details className="max-w-[85%] text-sm">
      <summary className="text-muted cursor-pointer">{t(`chat.facts_${source}`)}</summary>
      <CodeBlock code={text} language="json" wrap />
    </details>
  )
}
