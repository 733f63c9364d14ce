import '../styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { startTexts } from '../text/i18n.ts'

const RELOADED_AT = 'reeve.reloaded_at'
// A page that was open during an upgrade requests chunks that are gone: reload it, but only once, to avoid a loop.
window.addEventListener('vite:preloadError', () => {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT) ?? 0) < 10_000) return
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
})

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
const page = createRoot(root)
// Nothing is shown without its texts; if even they fail to load, only this fixed text is left.
startTexts().then(
  () =>
    page.render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  () => page.render('The page could not be loaded. Check the connection and reload it.'),
)
