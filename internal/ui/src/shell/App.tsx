// The frame around the views.

export default function App() {
  return <main>Kaijutsu</main>
}
