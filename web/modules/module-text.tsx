import { lazy, Suspense } from 'react'

const Markdown = lazy(async () => ({ default: (await import('../chat/markdown.tsx')).Markdown }))

/** A longer text of a module: markdown as in answers, where nothing of it can become more than text. */
export function ModuleText({ text }: { readonly text: string }) {
  return (
    <Suspense fallback={<p className="break-words whitespace-pre-line">{text}</p>}>
      <Markdown source={text} />
    </Suspense>
  )
}
