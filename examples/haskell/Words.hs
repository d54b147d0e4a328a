-- | Counts the words of standard input, in two threads of the operating system.
module Main (main) where

import Control.Concurrent (forkOS, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (evaluate)
import Data.List (sortBy)
import qualified Data.Map.Strict as Map
import Data.Ord (Down (..), comparing)

count :: [String] -> Map.Map String Int
count list = Map.fromListWith (+) [(word, 1) | word <- list]

main :: IO ()
main = do
  list <- words <$> getContents
  let (first, second) = splitAt (length list `div` 2) list
  answer <- newEmptyMVar
  _ <- forkOS (evaluate (count second) >>= putMVar answer)
  ours <- evaluate (count first)
  theirs <- takeMVar answer
  let ranked = sortBy (comparing (\(word, times) -> (Down times, word))) (Map.toList (Map.unionWith (+) ours theirs))
  mapM_ (\(word, times) -> putStrLn (word ++ " " ++ show times)) (take 3 ranked)
