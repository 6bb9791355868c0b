import { Copy } from '../../ui/copy'
import { OneTime } from '../../ui/one-time'

/** Shows the value of a new key, once. It is stored nowhere. */
export function OneTimeKey({ value, onClose }: { value: string; onClose: () => void }) {
  const curl = `curl -s ${location.origin}/api/chains -H 'x-api-key: ${value}'`
  return (
    <OneTime
      title="Copy your key now"
      what="API key"
      value={value}
      lead="The key is shown only once. If you lose it, roll the key."
      stored="I have stored this key"
      onClose={onClose}
    >
      <p className="small">Try it in a terminal while the whole key is visible:</p>
      <div className="secret">
        <pre className="code breaks" tabIndex={0} data-curl>
          {curl}
        </pre>
        <Copy value={curl} what="curl command" />
      </div>
    </OneTime>
  )
}
