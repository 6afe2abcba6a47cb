import { useParams } from "react-router";
import { BoardView } from "./board-view.tsx";
import "../styles/board.css";
import "../styles/board-card.css";

export default function BoardPage() {
  const { board = "", "*": rest = "" } = useParams();
  const [kind, card] = rest.split("/");
  return <BoardView key={board} board={board} card={kind === "card" && card ? card : null} />;
}
