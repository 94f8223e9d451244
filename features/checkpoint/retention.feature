Feature: Keeping the checkpoints that matter
  Checkpoints cost space. A plan keeps the first, the most recent, the pinned ones, and of the rest ever fewer with age.

  Scenario: Unless told otherwise, fifty are kept
    Given the retention that holds when nothing is said
    Then it keeps 50 checkpoints
    And it prunes by itself

  Scenario: Retention can be chosen
    Given a retention of 5 checkpoints that does not prune by itself
    Then it keeps 5 checkpoints
    And it does not prune by itself

  Scenario: Pruning goes down to the maximum
    Given 5 recorded checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    When I prune it to 3 checkpoints
    Then 2 checkpoints are pruned
    And 3 checkpoints remain

  Scenario: Recording prunes too
    Given 10 recorded checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    When I record one more and keep 5
    Then 6 checkpoints are pruned
    And 5 checkpoints remain

  Scenario: The first and the most recent survive
    Given 5 recorded checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    When I prune it to 2 checkpoints
    Then 3 checkpoints are pruned
    And 2 checkpoints remain
    And the first checkpoint remains
    And the most recent checkpoint remains

  Scenario: Without a word about it, the default is obeyed
    Given 55 recorded checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    When I record a checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-final"
    Then at most 50 checkpoints remain

  Scenario: Switched off, nothing is pruned
    Given 5 recorded checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    When I prune it with retention switched off
    Then 0 checkpoints are pruned
    And 5 checkpoints remain

  Scenario: A pinned checkpoint survives any pruning
    Given 5 recorded checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    And the third of them is pinned
    When I prune it to 1 checkpoint
    Then 3 checkpoints are pruned
    And the third checkpoint remains

  Scenario: Pruning gives bytes back, and spoils no other checkpoint
    Given plan "large" has a sandbox
    And checkpoints of plan "large" were captured while the file "data" read "one, two, three, four" in turn
    When I prune it to 2 checkpoints
    Then bytes are freed
    And rolling back to each that remains brings back what "data" read then
