import { lazy, Suspense } from 'react'

const Markdown = lazy(async () => ({ default: (await import('../../chat/markdown/markdown.tsx')).Markdown }))

/** A longer text from a module: Markdown rendered as safely as in answers. */
export function ModuleText({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className="break-words whitespace-pre-line">{text}</p>}>
      <Markdown source={text} />
    </Suspense>
  )
}
