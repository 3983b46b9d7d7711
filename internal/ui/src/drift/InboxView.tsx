export default function InboxView() {
  return <div />
}
