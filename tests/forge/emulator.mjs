// A stateful GitHub on a loopback port: its address is the first line on stdout, the second one answers once no webhook is
// under way. node emulator.mjs PORT SEED, until its standard input is closed.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createEmulator } from 'emulate'

// GitHub gives each delivery an id of its own; the emulator takes the time, which two may share
let underWay = 0
const waiting = []
const send = globalThis.fetch
globalThis.fetch = async (url, options) => {
  underWay++
  try {
    return await send(url, { ...options, headers: { ...options.headers, 'X-GitHub-Delivery': randomUUID() } })
  } finally {
    underWay--
    setImmediate(answer) // the next webhook of the same event begins before that
  }
}
const answer = () => { while (underWay === 0 && waiting.length) waiting.pop().end() }

const github = await createEmulator({ service: 'github', port: Number(process.argv[2]), seed: JSON.parse(process.argv[3]) })
const delivered = createServer((_, response) => { waiting.push(response); setImmediate(answer) })
delivered.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${github.url}\nhttp://127.0.0.1:${delivered.address().port}\n`)
})
process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
