import './styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { startTexts } from './i18n.ts'

const RELOADED_AT = 'reeve.reloaded_at'
// A page that was open during an upgrade asks for parts that are gone: the new page has its own. Once, not in a circle.
window.addEventListener('vite:preloadError', () => {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT) ?? 0) < 10_000) return
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
})

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no #root')
const page = createRoot(root)
// Nothing is shown without its words; where even they do not arrive, these are all there can be.
startTexts().then(
  () =>
    page.render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  () => page.render('The page could not be loaded. Check the connection and reload it.'),
)
