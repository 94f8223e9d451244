Feature: Where checkpoints are kept
  The service keeps nothing itself: a repository does, and another one can be put in its place.

  Scenario: What is recorded lies in the repository
    When I record a checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the state "commit-repo"
    Then it is recorded under an id of its own
    And the repository holds 1 checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"

  Scenario: What is listed comes from the repository
    Given the repository holds checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the states "commit-r1, commit-r2"
    Then plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" has checkpoints for the states "commit-r1, commit-r2"

  Scenario: What is deleted leaves the repository
    Given the repository holds checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the states "commit-del"
    When I delete it
    Then it can no longer be found
    And the repository holds 0 checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"

  Scenario: What the repository does not hold cannot be deleted
    Given the repository holds checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the states "commit-other"
    When I delete the checkpoint "01NONEXISTENT0000000000000"
    Then it is not found
    And the repository holds 1 checkpoint of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"

  Scenario: What is pruned leaves the repository
    Given 5 recorded checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    When I prune it to 3 checkpoints
    Then 2 checkpoints are pruned
    And the repository holds 3 checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"

  Scenario: What is looked up comes from the repository
    Given the repository holds checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the states "commit-get"
    When I look it up by its id
    Then I get that very checkpoint

  Scenario: What the repository does not hold is not found
    Given the repository holds checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the states "commit-other"
    When I look up the checkpoint "01NONEXISTENT0000000000000"
    Then it is not found

  Scenario: An entry without a checkpoint is passed over
    Given the repository holds checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the states "commit-sound"
    And the repository has an entry without a checkpoint for plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    Then plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" has checkpoints for the states "commit-sound"

  Scenario: A checkpoint without an entry can still be deleted
    Given the repository holds checkpoints of plan "01ARZ3NDEKTSV4RRFFQ69G5FAV" for the states "commit-lost"
    And the repository lost its entries for plan "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    When I delete it
    Then it can no longer be found
